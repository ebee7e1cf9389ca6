// SPDX-License-Identifier: Apache-2.0
// What the calibration varies: the cache-hungry proxy, its neighbours on the host, and what is not published
// about the machines.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/hardware_model/machine.h"
#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

struct Parameters {
  double memory_share = 0.32;
  double miss_exponent = 0.44;
  double private_share = 0.12;
  double stall_share = 0.50;
  double dense_core_gain = 1.03;    // Zen 5c against Zen 4
  double classic_core_gain = 1.05;  // Zen 5
  double queueing = 0.3;
  double reference_use = 0.2;
  double smt = 0.03;
  double neighbours = 0.65;  // their memory traffic against the proxy's
  double node_distance = 0.035;
};

struct ParameterRange {
  std::string_view name;
  double Parameters::*value;
  double low;  // uniform before the calibration
  double high;
};

std::span<const ParameterRange> parameter_ranges();
Parameters sampled(std::uint64_t seed, unsigned draw);

// The proxy, and all else that runs on such a host as one service. On the reference machine (Genoa-X, half of
// the time each) they hold what their misses take.
std::vector<ServiceSpec> proxy_and_neighbours(const Parameters& parameters, unsigned threads_of_each);

// A kind of service to start a description from: "cache-hungry-proxy", "lean-proxy", "neighbours"; the name
// is the kind, one thread. Throws Error(invalid) that lists the kinds.
ServiceSpec service_of_kind(std::string_view kind);

}  // namespace bulkhead::sim
