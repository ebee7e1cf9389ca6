// SPDX-License-Identifier: Apache-2.0
// Bandwidth wants in the kernel's unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/topology/capabilities.h"
#include "policies/policy.h"

namespace bulkhead {

// The value to write for `amount`, already rounded as the kernel would round it; what rounding changed is
// noted. Percent of Intel's scale is rounded up as the kernel does, rates are rounded down so that the limit
// holds, and neither goes below the machine's least. Throws Error(infeasible) for nothing and for more than
// unlimited, Error(unsupported) where the machine's ccd_bandwidth would be needed.
std::uint32_t plan_bandwidth(const BandwidthAmount& amount, const BandwidthCapability& capability,
                             std::uint64_t ccd_bandwidth, const Place& place, const std::string& service,
                             std::vector<std::string>& notes);

// A planned value in words: "unlimited", "40 GB/s per CCD", "40%".
std::string describe_bandwidth(std::uint64_t value, const BandwidthCapability& capability);

}  // namespace bulkhead
