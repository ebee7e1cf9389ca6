// SPDX-License-Identifier: Apache-2.0
// What each service asked for, beside what it became.
#pragma once

#include <vector>

#include "controller/planner/grouping.h"

namespace bulkhead {

// By service, in the policy's order; `groups` are the planned ones.
std::vector<ServiceEffect> describe_effects(const Policy& policy, const std::vector<Wants>& wants,
                                            const CpuChoices& cpus, const std::vector<ControlGroup>& groups,
                                            const Machine& machine, const Capabilities& capabilities);

}  // namespace bulkhead
