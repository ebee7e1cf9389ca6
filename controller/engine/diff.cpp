// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/diff.h"

#include <iterator>

namespace bulkhead {

Diff diff(const Plan& plan, const Observed& now, const Baseline& baseline, Contested contested) {
  Diff result;
  result.targets = resolve_targets(plan, now, baseline, contested, &result.objections);
  GroupSteps groups = diff_groups(plan, now, baseline);
  std::vector<Step> cpusets = diff_cpusets(result.targets, now, baseline);
  for (std::vector<Step>* part : {&groups.prepare, &cpusets, &groups.assign, &groups.remove}) {
    result.steps.insert(result.steps.end(), std::make_move_iterator(part->begin()),
                        std::make_move_iterator(part->end()));
  }
  for (const ObservedService& service : now.services) {
    if (!service.found) result.waiting.push_back(service.service);
  }
  return result;
}

}  // namespace bulkhead
