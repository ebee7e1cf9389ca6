// SPDX-License-Identifier: Apache-2.0
#include "policies/problems.h"

#include <algorithm>
#include <array>

namespace bulkhead {
namespace {

using enum Problem;

constexpr std::array kTexts{
    ProblemText{too_large, "too-large", "the file has {} bytes: a document has at most {}"},
    ProblemText{nothing_there, "nothing-there",
                "the file holds nothing: the smallest policy is {\"bulkhead\": 1, \"name\": ..., "
                "\"services\": {...}}"},
    ProblemText{
        no_experiment_there, "no-experiment-there",
        "the file holds nothing: an experiment is {\"experiment\": 1, \"name\": ..., \"arms\": {...}, "
        "\"control\": ..., \"metrics\": {...}, \"primary\": ...}"},
    ProblemText{byte_order_mark, "byte-order-mark",
                "a byte order mark stands before the text: save the file as UTF-8 without it"},
    ProblemText{nul_byte, "nul-byte", "a NUL byte: a document is text"},
    ProblemText{invalid_utf8, "invalid-utf8", "the byte {} is not valid UTF-8 here: save the file as UTF-8"},

    ProblemText{too_deep, "too-deep", "more than {} objects and arrays inside one another"},
    ProblemText{too_many_values, "too-many-values",
                "more than {} values: no host has use for such a document"},
    ProblemText{long_key, "long-key", "the key {} has {} bytes: a key has at most {}"},
    ProblemText{duplicate_key, "duplicate-key",
                "the key {} is here a second time: it was given at {} already"},
    ProblemText{open_comment, "open-comment", "this comment is never closed: end it with */"},
    ProblemText{hash_comment, "hash-comment", "'#' does not begin a comment here: write //"},
    ProblemText{unexpected, "unexpected", "found {}, expected {}"},
    ProblemText{trailing_comma, "trailing-comma", "nothing follows this comma: leave it out"},
    ProblemText{trailing_text, "trailing-text",
                "found {} behind the end of the document: a file holds one document"},
    ProblemText{not_closed, "not-closed", "the file ends inside the {} that begins at {}: a '{}' is missing"},
    ProblemText{open_string, "open-string", "this text has no end: close it with \" on the same line"},
    ProblemText{
        wrong_escape, "wrong-escape",
        "{} is no escape: write \\\\ for a backslash; the others are \\\" \\/ \\b \\f \\n \\r \\t \\uXXXX"},
    ProblemText{half_character, "half-character",
                "{} is half of a surrogate pair: write the character itself, files are UTF-8"},
    ProblemText{control_character, "control-character",
                "the control character {} stands in a text: write {}"},
    ProblemText{wrong_number, "wrong-number",
                "{} is not a number: write digits, without leading zeros, '+' or a bare '.'"},
    ProblemText{huge_number, "huge-number", "the number {} is too large for any use here"},
    ProblemText{no_quotes, "no-quotes", "{} has no quotes: write {}"},
    ProblemText{single_quotes, "single-quotes",
                "a single quote does not begin a text: write double quotes, \"...\""},
    ProblemText{wrong_case, "wrong-case", "{} is not a word of JSON: write {}"},

    ProblemText{unknown_key, "unknown-key", "unknown key {}: known here are {}"},
    ProblemText{misspelt_key, "misspelt-key", "unknown key {}: did you mean {}?"},
    ProblemText{missing_key, "missing-key", "the key \"{}\" is missing: add \"{}\": {}"},
    ProblemText{wrong_value, "wrong-value", "{} is not {}: write {}"},
    ProblemText{misspelt_word, "misspelt-word", "{} is not {}: did you mean {}?"},
    ProblemText{out_of_range, "out-of-range", "{} is out of range: {} is {} to {}"},
    ProblemText{one_of_missing, "one-of-missing", "an empty object is not {}: write {}"},
    ProblemText{one_of_many, "one-of-many", "\"{}\" cannot stand beside \"{}\": {} has exactly one of {}"},

    ProblemText{unknown_version, "unknown-version",
                "version {} of the policy language is not known here: write 1"},
    ProblemText{
        wrong_name, "wrong-name",
        "{} is not a name: write 1 to 48 letters, digits, '_', '-' and '.', the first of them no '.'"},
    ProblemText{no_services, "no-services",
                "a policy without services isolates nothing: add one, {\"proxy\": {\"select\": {\"unit\": "
                "\"proxy.service\"}}}"},
    ProblemText{two_others, "two-others",
                "the service \"{}\" selects \"others\" already: everything else can only be one service"},
    ProblemText{same_selector, "same-selector",
                "the service \"{}\" selects {} already: a task belongs to one service"},
    ProblemText{unknown_class, "unknown-class", "there is no class {}: {}"},
    ProblemText{misspelt_class, "misspelt-class", "there is no class {}: did you mean \"{}\"?"},
    ProblemText{empty_class, "empty-class",
                "a class that asks for nothing: give it \"l3\", \"bandwidth\" or both"},

    ProblemText{unit_suffix, "unit-suffix",
                "{} is not the full name of a unit: write \"{}.service\", .scope or .slice"},
    ProblemText{long_command, "long-command",
                "{} can never match, the kernel keeps 15 bytes of a command's name: write {}"},
    ProblemText{relative_path, "relative-path", "{} is not an absolute path: begin it with '/'"},
    ProblemText{cgroup_path, "cgroup-path",
                "{} is not a cgroup below the hierarchy's root: write it as in \"/machine.slice/*\", without "
                "'.', '..' "
                "or empty parts"},
    ProblemText{root_cgroup, "root-cgroup",
                "the root cgroup holds every task: write \"others\" for all that is left"},
    ProblemText{same_pid, "same-pid", "the pid {} is in this list twice"},

    ProblemText{number_as_ids, "number-as-ids", "a list of ids is a text: write {}"},
    ProblemText{wrong_ids, "wrong-ids", "{} is not a list of ids: {}; write \"0-5,8\""},
    ProblemText{empty_ids, "empty-ids", "{} names no id: write \"0-5,8\""},
    ProblemText{nothing_to_narrow, "nothing-to-narrow",
                "nothing says which CPUs to narrow: add \"of\": \"all\", or \"of\": \"rest\", a list of ids "
                "or a count"},
    ProblemText{within_misplaced, "within-misplaced",
                "\"within\" belongs to a count: write {\"count\": {\"ccds\": 6}, \"within\": \"node\"}"},
    ProblemText{within_too_small, "within-too-small", "{} cannot lie within one {}: {}"},
    ProblemText{
        thread_alone, "thread-alone",
        "\"thread\" says where \"threads_per_core\" begins, which is not given: add \"threads_per_core\": 1"},
    ProblemText{exclusive_all, "exclusive-all",
                "exclusive_cpus with all CPUs leaves none to anybody else: ask for fewer, such as "
                "{\"nodes\": \"0\"}"},
    ProblemText{
        exclusive_rest, "exclusive-rest",
        "\"rest\" is what exclusive services leave over, so that none of them can ask for it: name its CPUs, "
        "such as {\"nodes\": \"0\"}"},
    ProblemText{exclusive_others, "exclusive-others",
                "exclusive_cpus cannot be had by \"others\": set it on the services that they are to be kept "
                "away from"},
    ProblemText{exclusive_unnamed, "exclusive-unnamed",
                "exclusive_cpus without \"cpus\": say which, such as \"cpus\": {\"nodes\": \"0\"}"},
    ProblemText{partition_shared, "partition-shared",
                "a partition \"{}\" owns its CPUs alone: add \"exclusive_cpus\": true, or write \"member\""},
    ProblemText{
        assign_others, "assign-others",
        "\"others\" are in the default group, which takes every CPU that is left: leave \"assign\" out"},

    ProblemText{no_cache, "no-cache", "{} is no cache at all: give at least one way, {\"ways\": 1}"},
    ProblemText{too_much, "too-much", "{} is more than there is: write \"100%\" or less"},
    ProblemText{mask_not_hex, "mask-not-hex",
                "{} is not a mask of ways: write it in hexadecimal with 0x, \"0xfff\""},
    ProblemText{mask_too_wide, "mask-too-wide", "{} has bits beyond way {}: no cache has so many ways"},
    ProblemText{empty_bandwidth, "empty-bandwidth",
                "this asks for nothing: give \"memory\", \"slow\" or both"},
    ProblemText{no_bandwidth, "no-bandwidth", "{} is no bandwidth at all: give more, or leave the key out"},
    ProblemText{l3_exclusive_alone, "l3-exclusive-alone",
                "l3_exclusive without an amount: add \"l3\", such as \"l3\": \"75%\""},
    ProblemText{class_and_own, "class-and-own",
                "\"{}\" cannot stand beside \"class\": the class \"{}\" says how much, change it there"},

    ProblemText{experiment_here, "experiment-here",
                "this is an experiment: a policy begins with {\"bulkhead\": 1, ...}"},
    ProblemText{policy_here, "policy-here",
                "this is a policy: an experiment begins with {\"experiment\": 1, ...}"},
    ProblemText{unknown_experiment_version, "unknown-experiment-version",
                "version {} of the experiment language is not known here: write 1"},
    ProblemText{unknown_name, "unknown-name", "there is no {} {}: known here: {}"},
    ProblemText{misspelt_name, "misspelt-name", "there is no {} {}: did you mean {}?"},
    ProblemText{few_arms, "few-arms",
                "an experiment compares at least two arms: add one, {\"as-it-is\": {\"policy\": \"none\"}}"},
    ProblemText{search_arms, "search-arms",
                "a search compares what it finds with one arm, its control: leave {} out, or write what is "
                "compared as arms, without \"search\""},
    ProblemText{same_arm, "same-arm",
                "the arm {} is the same already; to compare one with itself, give either of them "
                "\"on_enter\": {\"command\": [\"true\"]}"},
    ProblemText{bare_arm, "bare-arm",
                "the arm {} has no policy and so no service {} to count: give it a policy that selects the "
                "service, or take another source"},
    ProblemText{guard_primary, "guard-primary",
                "the primary metric has to get better, and so cannot be a guard, too: leave this guard out"},
    ProblemText{no_direction, "no-direction",
                "{} is compared, and nothing says which way is better: add \"better\": \"higher\" or "
                "\"lower\""},
    ProblemText{list_falls, "list-falls", "{} does not lie above {}: such a list rises"},
    ProblemText{crossed_blocks, "crossed-blocks",
                "at least {} blocks cannot be at most {}: lower \"least\" or raise \"most\""},
    ProblemText{few_combinations, "few-combinations",
                "there is nothing to search: give \"ccds\", \"ways\", \"bandwidth\" or "
                "\"threads_per_core\" two values or more"},
    ProblemText{
        many_combinations, "many-combinations",
        "these lists make more than {} combinations, each of which is weighed before each try: shorten them"},
    ProblemText{mixed_amounts, "mixed-amounts",
                "which of {} and {} is more depends on the machine: write rates only, or percentages only"},
    ProblemText{higher_latency, "higher-latency",
                "a search keeps its latency below a limit, and here more is better: write \"better\": "
                "\"lower\" at the metric, or name another"},

    ProblemText{no_source, "no-source",
                "nothing says where the metric comes from: add \"page\", \"command\" or \"counter\""},
    ProblemText{no_reading, "no-reading",
                "nothing says what to read on the page: add \"value\", \"rate\", or \"quantile\" and \"of\""},
    ProblemText{misplaced_key, "misplaced-key", "\"{}\" has no meaning beside {}: leave it out"},
    ProblemText{lone_key, "lone-key", "\"{}\" has no meaning without \"{}\": leave it out"},
    ProblemText{quantile_range, "quantile-range", "{} is no quantile: write one above 0 and below 1, 0.99"},
    ProblemText{wrong_page, "wrong-page",
                "{} is not a page: {}; write \"http://HOST:PORT/PATH\" or the path of a file"},
    ProblemText{wrong_series, "wrong-series",
                "{} is not a series: {}; write \"requests_total\" or \"requests_total{code=\\\"200\\\"}\""},

    ProblemText{more_problems, "more-problems", "and {} more, not shown"},
};

constexpr bool in_order() {
  std::size_t index = 0;
  return std::ranges::all_of(
      kTexts, [&](const ProblemText& row) { return static_cast<std::size_t>(row.problem) == index++; });
}
static_assert(in_order() && kTexts.size() == static_cast<std::size_t>(more_problems) + 1);

}  // namespace

std::span<const ProblemText> problem_texts() {
  return kTexts;
}

std::string describe(Problem problem, std::initializer_list<std::string_view> arguments) {
  std::string_view rest = kTexts.at(static_cast<std::size_t>(problem)).text;
  std::string message;
  for (const std::string_view argument : arguments) {
    const auto hole = rest.find("{}");
    if (hole == std::string_view::npos) break;
    message += rest.substr(0, hole);
    message += argument;
    rest.remove_prefix(hole + 2);
  }
  return message += rest;
}

}  // namespace bulkhead
