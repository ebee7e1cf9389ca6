// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/parameters.h"

#include <array>
#include <cmath>
#include <string>

#include "controller/base/error.h"
#include "simulator/hardware_model/random.h"

namespace bulkhead::sim {
namespace {

constexpr double kReferenceCache = 96 << 20;     // of a CCD
constexpr double kReferenceBandwidth = 460.8e9;  // of a socket, 12 channels of DDR5-4800
constexpr double kReferenceCores = 96;
constexpr double kLeanMisses = 0.56;  // reproduces the new proxy's throughput on the 9965

constexpr auto kRanges = std::to_array<ParameterRange>({
    {"m0, memory's share of the service time", &Parameters::memory_share, 0.15, 0.55},
    {"alpha, exponent of the miss curve", &Parameters::miss_exponent, 0.2, 0.7},
    {"beta, private part of the working set", &Parameters::private_share, 0, 0.4},
    {"stall share of the latency", &Parameters::stall_share, 0.3, 0.7},
    {"core gain, Zen 5c", &Parameters::dense_core_gain, 0.95, 1.12},
    {"core gain, Zen 5", &Parameters::classic_core_gain, 1.0, 1.2},
    {"eta, queueing at the memory", &Parameters::queueing, 0.1, 0.5},
    {"u0, use of the memory on Gen 12", &Parameters::reference_use, 0.1, 0.3},
    {"s, gain or loss by the sibling", &Parameters::smt, 0, 0.06},
    {"neighbours' traffic against the proxy's", &Parameters::neighbours, 0.3, 1},
    {"near and far node, against the mean", &Parameters::node_distance, 0, 0.07},
});

}  // namespace

std::span<const ParameterRange> parameter_ranges() {
  return kRanges;
}

Parameters sampled(std::uint64_t seed, unsigned draw) {
  Parameters parameters;
  for (std::size_t at = 0; at < kRanges.size(); ++at) {
    const ParameterRange& range = kRanges[at];
    parameters.*range.value = range.low + (range.high - range.low) * uniform(seed, at, draw);
  }
  return parameters;
}

std::vector<ServiceSpec> proxy_and_neighbours(const Parameters& parameters, unsigned threads_of_each) {
  // Under LRU two services with the same miss curve rest where cache : cache = traffic : traffic ^
  // 1/(1+alpha).
  const double part = 1 / (1 + std::pow(parameters.neighbours, 1 / (1 + parameters.miss_exponent)));
  const double core_traffic = parameters.reference_use * kReferenceBandwidth / kReferenceCores;
  ServiceSpec proxy;
  proxy.threads = threads_of_each;
  proxy.memory_share = parameters.memory_share;
  proxy.stall_share = parameters.stall_share;
  proxy.miss_exponent = parameters.miss_exponent;
  proxy.private_share = parameters.private_share;
  proxy.smt = parameters.smt;
  proxy.reference_use = parameters.reference_use;
  proxy.reference_cache = kReferenceCache * part;
  proxy.request_bytes = 2 / (1 + parameters.neighbours) * core_traffic * proxy.core_seconds;
  ServiceSpec neighbours = proxy;
  neighbours.name = "neighbours";
  neighbours.reference_cache = kReferenceCache * (1 - part);
  neighbours.request_bytes = parameters.neighbours * proxy.request_bytes;
  return {proxy, neighbours};
}

ServiceSpec service_of_kind(std::string_view kind) {
  std::vector<ServiceSpec> kinds = proxy_and_neighbours({}, 1);
  kinds.push_back(kinds[0]);
  kinds[0].name = "cache-hungry-proxy";
  kinds[2].name = "lean-proxy";
  kinds[2].misses = kLeanMisses;
  for (const ServiceSpec& spec : kinds) {
    if (spec.name == kind) return spec;
  }
  throw Error(ErrorCode::invalid,
              "'" + std::string(kind) +
                  "' is no kind of service; it is cache-hungry-proxy, lean-proxy or neighbours");
}

}  // namespace bulkhead::sim
