// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/conditions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulator/hardware_model/random.h"

namespace bulkhead::sim {
namespace {

constexpr double kDay = 86400;
constexpr std::uint64_t kDriftSeconds = 600;
constexpr double kSlowest = 0.1;  // noise never stops or turns back a service

enum Stream : std::uint64_t { kLoad, kPace, kDrift, kStreams };

// Linear between points some minutes apart.
double wander(std::uint64_t seed, std::uint64_t stream, std::uint64_t second) {
  const std::uint64_t point = second / kDriftSeconds;
  const double part = static_cast<double>(second % kDriftSeconds) / static_cast<double>(kDriftSeconds);
  return (1 - part) * normal(seed, stream, point) + part * normal(seed, stream, point + 1);
}

}  // namespace

Conditions conditions(const ServiceSpec& service, const Disturbance& disturbance, std::uint64_t seed,
                      unsigned index, std::uint64_t second) {
  const std::uint64_t stream = index * std::uint64_t{kStreams};
  const double hour_angle =
      2 * std::numbers::pi * (static_cast<double>(second) + disturbance.time_of_day) / kDay;
  const double day = 1 - disturbance.diurnal * std::cos(hour_angle);
  const double load = 1 + disturbance.load_noise * normal(seed, stream + kLoad, second);
  const double pace = 1 + disturbance.pace_noise * normal(seed, stream + kPace, second) +
                      disturbance.drift * wander(seed, stream + kDrift, second);
  return {service.offered * std::max(kSlowest, day * load), std::max(kSlowest, pace)};
}

}  // namespace bulkhead::sim
