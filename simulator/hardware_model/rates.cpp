// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/rates.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace bulkhead::sim {
namespace {

constexpr double kLoneThread = 0.75;       // what a CPU does for a core's worth while its sibling rests
constexpr double kLeastCache = 512 << 10;  // bytes; the miss curve is not known below
constexpr double kConverged = 1e-10;
constexpr unsigned kMostSteps = 300;

}  // namespace

Rates::Rates(const Machine& machine, std::span<const ServiceSpec> services, const Placement& placement,
             std::vector<unsigned> holders)
    : machine_(machine),
      specs_(services),
      placement_(placement),
      holders_(std::move(holders)),
      classes_(cpu_classes(machine, placement, services.size())),
      rates_(services.size()),
      busy_(services.size(), Damped(1)),
      queues_(machine.nodes(), Damped(0.5)) {
  for (unsigned crew = 0; crew < placement_.crews.size(); ++crew) {
    for (unsigned ccd = 0; ccd < machine.ccds.size(); ++ccd) {
      const bool sits = std::any_of(classes_.begin(), classes_.end(), [&](const CpuClass& cpus) {
        return cpus.ccd == ccd && cpus.weights[crew] > 0;
      });
      if (sits) seats_.push_back({.crew = crew, .ccd = ccd});
    }
  }
}

void Rates::solve(const CacheWays& caches, std::span<const Conditions> moments) {
  for (Damped& busy : busy_) busy.restart();
  for (Damped& queue : queues_) queue.restart();
  for (unsigned steps = 0; steps < kMostSteps && step(caches, moments) > kConverged; ++steps) continue;
}

double Rates::step(const CacheWays& caches, std::span<const Conditions> moments) {
  for (Seat& seat : seats_) {
    take_cores(seat);
    take_time(seat, caches, moments[crew(seat).service].pace);
  }
  throttle();
  const double served = serve(moments);
  return std::max(served, use_memory());
}

// Threads share a CPU fairly with those that have something to do; a busy sibling takes half of the core.
void Rates::take_cores(Seat& seat) const {
  const double smt = specs_[crew(seat).service].smt;
  seat.cores = seat.part = 0;
  double all = 0;
  for (const CpuClass& cpus : classes_) {
    if (cpus.ccd != seat.ccd || cpus.weights[seat.crew] <= 0) continue;
    double others = 0;
    double same = 0;
    double strange = 0;
    for (unsigned other = 0; other < placement_.crews.size(); ++other) {
      if (other != seat.crew) others += cpus.weights[other] * busy(other);
      const bool own = placement_.crews[other].service == crew(seat).service;
      (own ? same : strange) += cpus.sibling_weights[other] * busy(other);
    }
    const double awake = std::max(1.0, same + strange);
    same /= awake;
    strange /= awake;
    const double share = cpus.weights[seat.crew] / std::max(1.0, cpus.weights[seat.crew] + others);
    const double yield =
        0.5 * (1 + smt) * same + 0.5 * (1 - smt) * strange + kLoneThread * (1 - same - strange);
    seat.cores += cpus.cpus * share * yield;
    all += cpus.cpus * share;
  }
  seat.part = all / static_cast<double>(machine_.ccds[seat.ccd].cpus.size());
}

void Rates::take_time(Seat& seat, const CacheWays& caches, double pace) const {
  const ServiceSpec& spec = specs_[crew(seat).service];
  const Ccd& ccd = machine_.ccds[seat.ccd];
  const double ccd_cores = static_cast<double>(ccd.cpus.size()) / machine_.threads_per_core;
  const double crowding = std::pow(spec.reference_cores / (ccd_cores * seat.part), spec.private_share);
  const double cache = std::max(kLeastCache, caches.bytes(holder(seat), seat.ccd) * crowding);
  seat.misses = spec.misses * std::pow(cache / spec.reference_cache, -spec.miss_exponent);

  double wait = 0;
  unsigned nodes = 0;
  for (unsigned node = 0; node < machine_.nodes(); ++node) {
    if (!crew(seat).memory_nodes.empty() && !crew(seat).memory_nodes.contains(node)) continue;
    wait += machine_.latency(ccd.node, node) * machine_.queue(queues_[node].value());
    ++nodes;
  }
  seat.wait = wait / nodes / machine_.queue(spec.reference_use / (1 - spec.reference_use));
  seat.service_time =
      (1 - spec.memory_share) / machine_.memory.core_gain + spec.memory_share * seat.misses * seat.wait;
  seat.capacity = pace * seat.cores / (seat.service_time * spec.core_seconds);
}

// A control group's limit holds for all its crews on a CCD together; each may use what the others leave, and
// at least its part.
void Rates::throttle() {
  std::map<std::pair<unsigned, unsigned>, double> wanted;
  const auto key = [&](const Seat& seat) { return std::pair{crew(seat).control, seat.ccd}; };
  const auto most = [&](const Seat& seat) {
    return seat.capacity * specs_[crew(seat).service].request_bytes * seat.misses;
  };
  for (const Seat& seat : seats_) wanted[key(seat)] += most(seat) * busy(seat.crew);
  for (Seat& seat : seats_) {
    const double limit = placement_.controls[crew(seat).control][seat.ccd].bandwidth;
    const double all = wanted[key(seat)] + most(seat) * (1 - busy(seat.crew));
    if (all > limit) seat.capacity *= limit / all;
  }
}

double Rates::serve(std::span<const Conditions> moments) {
  for (ServiceRates& rates : rates_) rates = {.latency = 0};
  for (const Seat& seat : seats_) {
    const ServiceSpec& spec = specs_[crew(seat).service];
    ServiceRates& rates = rates_[crew(seat).service];
    rates.capacity += seat.capacity;
    rates.latency += seat.capacity * ((1 - spec.stall_share) / machine_.memory.core_gain +
                                      spec.stall_share * seat.misses * seat.wait);
  }
  double change = 0;
  for (unsigned service = 0; service < rates_.size(); ++service) {
    ServiceRates& rates = rates_[service];
    rates.latency = rates.capacity > 0 ? rates.latency / rates.capacity : 1;
    const double wanted = rates.capacity > 0 ? moments[service].offered / rates.capacity : 0;
    change = std::max(change, busy_[service].move(std::min(1.0, wanted)));
    rates.busy = busy_[service].value();
    rates.requests = rates.capacity * rates.busy;
  }
  for (Seat& seat : seats_) {
    const unsigned service = crew(seat).service;
    seat.requests = seat.capacity * rates_[service].busy;
    seat.bytes = seat.requests * specs_[service].request_bytes * seat.misses;
  }
  return change;
}

double Rates::use_memory() {
  std::vector<double> traffic(machine_.nodes());
  for (Seat& seat : seats_) {
    const CpuSet& memory = crew(seat).memory_nodes;
    const unsigned home = machine_.ccds[seat.ccd].node;
    const double each = seat.bytes / static_cast<double>(memory.empty() ? traffic.size() : memory.size());
    seat.local_bytes = memory.empty() || memory.contains(home) ? each : 0;
    for (unsigned node = 0; node < traffic.size(); ++node) {
      if (memory.empty() || memory.contains(node)) traffic[node] += each;
    }
  }
  double change = 0;
  for (unsigned node = 0; node < traffic.size(); ++node) {
    // At rest traffic / bandwidth is u = v / (1 + v). This form of it converges where more is wanted than
    // there is.
    const double length = 1 + queues_[node].value();
    change = std::max(change, queues_[node].move(traffic[node] / machine_.node_bandwidth * length) / length);
  }
  return change;
}

std::vector<Inflow> Rates::inflows() const {
  std::vector<Inflow> inflows;
  for (const Seat& seat : seats_) {
    const WayMask ways = placement_.controls[crew(seat).control][seat.ccd].ways;
    if (!ways.empty() && seat.bytes > 0) inflows.push_back({holder(seat), seat.ccd, ways, seat.bytes});
  }
  return inflows;
}

}  // namespace bulkhead::sim
