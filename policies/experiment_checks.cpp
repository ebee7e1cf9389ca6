// SPDX-License-Identifier: Apache-2.0
#include "policies/experiment_checks.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

std::string known_names(std::span<const std::string_view> names) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> shown;
  for (const std::string_view name : names.first(std::min(names.size(), kMostShown)))
    shown.push_back(in_quotes(name));
  return join(shown, ", ") + (names.size() > kMostShown ? ", ..." : "");
}

// False, and told, where none of `names` is `asked`. Without any, that is mistake enough.
bool check_known(Problems& problems, const Place& place, std::string_view kind, const std::string& asked,
                 std::span<const std::string_view> names) {
  if (std::ranges::find(names, asked) != names.end()) return true;
  if (names.empty()) return false;
  if (!problems.shows(place.line, place.column)) {
    problems.count_hidden();
  } else if (const std::string_view meant = closest(asked, names); !meant.empty()) {
    problems.add(place, Problem::misspelt_name, {kind, in_quotes(asked), in_quotes(meant)});
  } else {
    problems.add(place, Problem::unknown_name, {kind, in_quotes(asked), known_names(names)});
  }
  return false;
}

using ArmKey = std::tuple<std::optional<std::string>, std::vector<std::string>, std::vector<std::string>>;

ArmKey key_of(const ArmWant& arm, const PolicyText& policy_of) {
  const auto words = [](const std::optional<Command>& command) {
    return command ? command->words : std::vector<std::string>{};
  };
  return {arm.policy ? std::optional(policy_of(*arm.policy)) : std::nullopt, words(arm.on_enter),
          words(arm.on_leave)};
}

void check_number_of_arms(Problems& problems, const ExperimentDraft& draft) {
  const auto& arms = draft.experiment.arms;
  if (!draft.arms) return;
  if (draft.experiment.search) {
    if (arms.size() > 1) problems.add(arms[1].place, Problem::search_arms, {in_quotes(arms[1].name)});
    if (arms.empty()) problems.add(*draft.arms, Problem::few_arms);
  } else if (arms.size() < 2) {
    problems.add(*draft.arms, Problem::few_arms);
  }
}

void check_arms(Problems& problems, const ExperimentDraft& draft) {
  check_number_of_arms(problems, draft);
  std::vector<std::string_view> names;
  for (const ArmWant& arm : draft.experiment.arms) names.push_back(arm.name);
  check_difference(problems, draft.experiment.arms, [](const std::string& policy) { return policy; });
  if (draft.control) check_known(problems, *draft.control, "arm", draft.experiment.control, names);
}

// The metric of that name, where something compares by it.
void check_direction(Problems& problems, const ExperimentDraft& draft, const std::string& name,
                     std::string_view role) {
  const auto found =
      std::ranges::find(draft.metrics, name, [](const MetricDraft& metric) { return metric.want.name; });
  if (found == draft.metrics.end() || found->has_direction || !found->has_source) return;
  problems.add(found->want.place, Problem::no_direction, {role});
}

void check_roles(Problems& problems, const ExperimentDraft& draft) {
  const Experiment& experiment = draft.experiment;
  std::vector<std::string_view> names;
  for (const MetricDraft& metric : draft.metrics) names.push_back(metric.want.name);
  if (draft.primary && check_known(problems, *draft.primary, "metric", experiment.primary, names)) {
    check_direction(problems, draft, experiment.primary, "the primary metric");
  }
  for (const Guard& guard : experiment.guards) {
    if (!check_known(problems, guard.place, "metric", guard.metric, names)) continue;
    if (draft.primary && guard.metric == experiment.primary) {
      problems.add(guard.place, Problem::guard_primary);
    } else {
      check_direction(problems, draft, guard.metric, "a guard");
    }
  }
  for (const HardLimit& limit : experiment.limits) {
    check_known(problems, limit.place, "metric", limit.metric, names);
  }
  if (experiment.bands && experiment.bands->place.line != 0) {
    check_known(problems, experiment.bands->place, "metric", experiment.bands->metric, names);
  }
}

void check_search(Problems& problems, const ExperimentDraft& draft) {
  const auto& search = draft.experiment.search;
  if (!search || search->latency_place.line == 0) return;
  std::vector<std::string_view> names;
  for (const MetricDraft& metric : draft.metrics) names.push_back(metric.want.name);
  if (!check_known(problems, search->latency_place, "metric", search->latency, names)) return;
  check_direction(problems, draft, search->latency, "the latency of a search");
  for (const MetricDraft& metric : draft.metrics) {
    if (metric.want.name != search->latency || !metric.has_direction) continue;
    if (metric.want.better == Better::higher) problems.add(search->latency_place, Problem::higher_latency);
  }
}

// Services are those of a policy: an arm without one has none to count.
void check_counters(Problems& problems, const ExperimentDraft& draft) {
  const auto& arms = draft.experiment.arms;
  const auto bare = std::ranges::find_if(
      arms, [](const ArmWant& arm) { return arm.policy_place.line != 0 && !arm.policy; });
  if (bare == arms.end()) return;
  for (const MetricDraft& metric : draft.metrics) {
    const auto* counter = std::get_if<ServiceCounterSource>(&metric.want.source);
    if (counter == nullptr || counter->service.empty()) continue;
    problems.add(metric.want.place, Problem::bare_arm, {in_quotes(bare->name), in_quotes(counter->service)});
  }
}

}  // namespace

void check_difference(DiagnosticList& problems, const std::vector<ArmWant>& arms,
                      const PolicyText& policy_of) {
  std::map<ArmKey, std::string_view> seen;
  for (const ArmWant& arm : arms) {
    if (arm.policy_place.line == 0) continue;  // its policy is missing or wrong already
    const auto [held, fresh] = seen.emplace(key_of(arm, policy_of), arm.name);
    if (!fresh) problems.add(arm.place, Problem::same_arm, {in_quotes(held->second)});
  }
}

void check_together(Problems& problems, const ExperimentDraft& draft) {
  check_arms(problems, draft);
  check_roles(problems, draft);
  check_search(problems, draft);
  check_counters(problems, draft);
}

}  // namespace bulkhead
