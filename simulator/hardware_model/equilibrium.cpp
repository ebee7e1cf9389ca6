// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/equilibrium.h"

#include <numeric>

namespace bulkhead::sim {
namespace {

constexpr double kPart = 0.5;
constexpr double kAtRest = 1e-8;
constexpr unsigned kMostStepsToRest = 500;

}  // namespace

std::vector<ServiceRates> at_rest(const Machine& machine, std::span<const ServiceSpec> services,
                                  const Placement& placement, std::span<const Conditions> moments) {
  CacheWays caches(machine);
  std::vector<unsigned> holders(placement.crews.size());
  for (unsigned& holder : holders) holder = caches.add_holder();
  Rates rates(machine, services, placement, holders);
  for (unsigned steps = 0; steps < kMostStepsToRest; ++steps) {
    const double change = rates.step(caches, moments);
    const double moved = caches.approach(rates.inflows(), kPart) / machine.ccd_bytes();
    if (change < kAtRest && moved < kAtRest) break;
  }
  return {rates.services().begin(), rates.services().end()};
}

}  // namespace bulkhead::sim
