// SPDX-License-Identifier: Apache-2.0
#include "policies/experiment.h"

#include <algorithm>

namespace bulkhead {

std::vector<std::string> Experiment::candidates() const {
  std::vector<std::string> names;
  for (const ArmWant& arm : arms) {
    if (arm.name != control) names.push_back(arm.name);
  }
  return names;
}

const ArmWant* Experiment::find_arm(const std::string& arm_name) const {
  const auto found = std::ranges::find(arms, arm_name, &ArmWant::name);
  return found == arms.end() ? nullptr : &*found;
}

}  // namespace bulkhead
