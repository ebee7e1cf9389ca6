// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/plan.h"

#include <algorithm>

namespace bulkhead {

const ControlGroup* Plan::find_group(const std::string& name) const {
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const ControlGroup& group) { return group.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

const ServiceEffect* Plan::find_service(const std::string& name) const {
  const auto found = std::find_if(services.begin(), services.end(),
                                  [&](const ServiceEffect& effect) { return effect.service == name; });
  return found == services.end() ? nullptr : &*found;
}

}  // namespace bulkhead
