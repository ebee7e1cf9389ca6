// SPDX-License-Identifier: Apache-2.0
// Where caches and throughput come to rest when a placement and its loads last: without masks, each service
// holds of a cache what its part of the misses is.
#pragma once

#include <span>
#include <vector>

#include "simulator/hardware_model/rates.h"

namespace bulkhead::sim {

// Rates by service. Throws Error(internal) for a placement that does not fit the machine.
std::vector<ServiceRates> at_rest(const Machine& machine, std::span<const ServiceSpec> services,
                                  const Placement& placement, std::span<const Conditions> moments);

}  // namespace bulkhead::sim
