// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/leftovers.h"

#include "controller/engine/kernel_words.h"
#include "controller/resctrl/group_path.h"

namespace bulkhead {

std::vector<std::string> ours_in(const Observed& now) {
  std::vector<std::string> found;
  for (const ObservedGroup& group : now.groups) {
    if (group.ours()) found.push_back("group " + group.name);
    for (const ObservedMonitoringGroup& monitoring : group.monitoring) {
      if (is_our_group(monitoring.name))
        found.push_back("group " + monitoring_path(group.name, monitoring.name));
    }
  }
  for (const auto& [path, processes] : now.own_cgroups) found.push_back("cgroup " + path);
  return found;
}

bool has_lost_baseline(const State& state, const Observed& now) {
  return state.policy_text.empty() && state.transaction.empty() && !ours_in(now).empty();
}

}  // namespace bulkhead
