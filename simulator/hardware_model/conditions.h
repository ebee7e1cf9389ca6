// SPDX-License-Identifier: Apache-2.0
// What a service meets in one second that has nothing to do with its placement: how much it is asked for and
// how fast the host happens to be. A function of the second, so that the size of steps does not matter.
#pragma once

#include <cstdint>
#include <limits>

#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

struct Conditions {
  double offered = std::numeric_limits<double>::infinity();  // requests/s
  double pace = 1;
  bool operator==(const Conditions&) const = default;
};

struct Disturbance {
  double load_noise = 0.02;  // relative, standard deviation of one second's offered load
  double pace_noise = 0.01;  // of one second's speed
  double drift = 0.02;       // of the speed's slow wandering, over some ten minutes
  double diurnal = 0.3;      // the day's peak is so much above the mean, the night as much below
  double time_of_day = 0;    // seconds after midnight when the simulation starts
};

constexpr Disturbance kUndisturbed{0, 0, 0, 0, 0};

Conditions conditions(const ServiceSpec& service, const Disturbance& disturbance, std::uint64_t seed,
                      unsigned index, std::uint64_t second);

}  // namespace bulkhead::sim
