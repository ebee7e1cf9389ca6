// SPDX-License-Identifier: Apache-2.0
// Where something can happen that makes a host differ from its plan, or a service appear. Pure.
#pragma once

#include <string>
#include <vector>

#include "cgroup/hierarchy.h"
#include "controller/planner/observed.h"
#include "policies/policy.h"

namespace bulkhead {

// More cgroups of services than that are not watched one by one: a sweep finds what happens in the rest.
inline constexpr std::size_t kMostWatchedPlaces = 4096;

// Directories, sorted; some may not be there. `resctrl` is its mount point, empty where it is not mounted.
std::vector<std::string> watched_places(const Policy& policy, const Observed& now, const std::string& resctrl,
                                        const Hierarchy& hierarchy);

// Whether the policy has services that are found by what a process runs, which no file tells.
bool selects_programs(const Policy& policy);

}  // namespace bulkhead
