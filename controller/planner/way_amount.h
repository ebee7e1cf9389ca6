// SPDX-License-Identifier: Apache-2.0
// How many ways of one CCD's L3 a want comes to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"
#include "policies/policy.h"

namespace bulkhead {

struct WayAmount {
  unsigned ways = 0;
  std::optional<WayMask> mask;  // where the policy says which ways
};

// Percent and size are rounded down to whole ways, but not below the machine's minimum; what changed is
// noted. Throws Error(infeasible) for more than the CCD has, nothing, or a mask that the machine would
// refuse.
WayAmount way_amount(const CacheAmount& amount, const Ccd& ccd, const CacheCapability& l3, const Place& place,
                     const std::string& service, std::vector<std::string>& notes);

// "12 of 16 ways, 24 MiB"; without the size where the machine does not say it.
std::string describe_ways(unsigned ways, const Ccd& ccd, const CacheCapability& l3);

}  // namespace bulkhead
