// SPDX-License-Identifier: Apache-2.0
// L3 masks for every group on every CCD.
#pragma once

#include <string>
#include <vector>

#include "controller/planner/grouping.h"

namespace bulkhead {

// The L3 lines of each group: the named ones in order, then the default group, which is only planned where
// the policy says something of it or somebody owns ways. Throws Error(infeasible) that says who holds the
// ways, and how many would fit.
std::vector<Schemata> plan_cache(const Grouping& grouping, const Policy& policy, const Machine& machine,
                                 const Capabilities& capabilities, const Tenants& tenants,
                                 std::vector<std::string>& notes);

}  // namespace bulkhead
