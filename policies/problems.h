// SPDX-License-Identifier: Apache-2.0
// Everything that can be wrong with a policy or an experiment, each with its wording, in one table: texts are
// reviewed side by side, and a test holds that examples/broken/ shows every one of them.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace bulkhead {

enum class Problem {
  // the text
  too_large,
  nothing_there,
  no_experiment_there,
  byte_order_mark,
  nul_byte,
  invalid_utf8,
  // its JSON
  too_deep,
  too_many_values,
  long_key,
  duplicate_key,
  open_comment,
  hash_comment,
  unexpected,
  trailing_comma,
  trailing_text,
  not_closed,
  open_string,
  wrong_escape,
  half_character,
  control_character,
  wrong_number,
  huge_number,
  no_quotes,
  single_quotes,
  wrong_case,
  // any value
  unknown_key,
  misspelt_key,
  missing_key,
  wrong_value,
  misspelt_word,
  out_of_range,
  one_of_missing,
  one_of_many,
  // the policy as a whole
  unknown_version,
  wrong_name,
  no_services,
  two_others,
  same_selector,
  unknown_class,
  misspelt_class,
  empty_class,
  // selectors
  unit_suffix,
  long_command,
  relative_path,
  cgroup_path,
  root_cgroup,
  same_pid,
  // CPUs
  number_as_ids,
  wrong_ids,
  empty_ids,
  nothing_to_narrow,
  within_misplaced,
  within_too_small,
  thread_alone,
  exclusive_all,
  exclusive_rest,
  exclusive_others,
  exclusive_unnamed,
  partition_shared,
  assign_others,
  // cache and bandwidth
  no_cache,
  too_much,
  mask_not_hex,
  mask_too_wide,
  empty_bandwidth,
  no_bandwidth,
  l3_exclusive_alone,
  class_and_own,
  // the experiment as a whole
  experiment_here,
  policy_here,
  unknown_experiment_version,
  unknown_name,
  misspelt_name,
  few_arms,
  search_arms,
  same_arm,
  bare_arm,
  guard_primary,
  no_direction,
  list_falls,
  crossed_blocks,
  few_combinations,
  many_combinations,
  mixed_amounts,
  higher_latency,
  // its metrics
  no_source,
  no_reading,
  misplaced_key,
  lone_key,
  quantile_range,
  wrong_page,
  wrong_series,
  // the report
  more_problems,
};

struct ProblemText {
  Problem problem;
  std::string_view name;  // of its example: examples/broken/NAME.json
  std::string_view text;  // each {} stands for an argument
};

std::span<const ProblemText> problem_texts();  // in the order of the enumeration

// The wording of a problem, with its arguments put in; what it has no place for is left out.
std::string describe(Problem problem, std::initializer_list<std::string_view> arguments);

}  // namespace bulkhead
