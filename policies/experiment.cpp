// SPDX-License-Identifier: Apache-2.0
#include "policies/experiment.h"

#include <algorithm>

#include "policies/quote.h"

namespace bulkhead {

std::optional<std::string> Experiment::local_deed() const {
  for (const ArmWant& arm : arms) {
    if (arm.on_enter || arm.on_leave) return "arm " + in_quotes(arm.name) + " runs a command";
  }
  for (const MetricWant& metric : metrics) {
    if (std::holds_alternative<CommandSource>(metric.source))
      return "metric " + in_quotes(metric.name) + " runs a command";
    const auto* page = std::get_if<PageSource>(&metric.source);
    if (page != nullptr && !page->page.starts_with("http://"))
      return "metric " + in_quotes(metric.name) + " reads a file";
  }
  return std::nullopt;
}

std::vector<std::string> Experiment::candidates() const {
  std::vector<std::string> names;
  for (const ArmWant& arm : arms) {
    if (arm.name != control) names.push_back(arm.name);
  }
  return names;
}

std::vector<Experiment::PolicyName> Experiment::policies() const {
  std::vector<PolicyName> named;
  for (const ArmWant& arm : arms) {
    if (arm.policy) named.push_back({*arm.policy, "arm " + in_quotes(arm.name), arm.policy_place});
  }
  if (search) named.push_back({search->policy, "the search", search->policy_place});
  return named;
}

const ArmWant* Experiment::find_arm(const std::string& arm_name) const {
  const auto found = std::ranges::find(arms, arm_name, &ArmWant::name);
  return found == arms.end() ? nullptr : &*found;
}

}  // namespace bulkhead
