// SPDX-License-Identifier: Apache-2.0
// What a plan promises about counters: how much of an L3 cache a group can fill, how much bandwidth it can
// have. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/planner/plan.h"
#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct Bound {
  std::string group;  // a control group; its counters include those of its monitoring groups
  std::vector<std::string> services;  // that it is for
  CacheId ccd;
  std::optional<std::uint64_t> occupancy;  // bytes of the ways of its mask
  std::optional<std::uint64_t> bandwidth;  // bytes a second; nothing where it is not limited, or nobody knows
                                           // what a percent of this machine is
};

// Of each group on each CCD where one of its services may run, in the plan's order.
std::vector<Bound> bounds_of(const Plan& plan, const Machine& machine, const Capabilities& capabilities);

}  // namespace bulkhead
