// SPDX-License-Identifier: Apache-2.0
// The closed form: from what each service holds of the caches to service times, throughput and memory
// traffic. Service time S = (1 - m0) / g + m0 mu lambda Q(u) / Q(u0), with misses mu = (c / c0)^-alpha; u is
// a fixed point of the traffic that the throughput causes, found in damped steps.
#pragma once

#include <span>
#include <vector>

#include "simulator/hardware_model/cache_ways.h"
#include "simulator/hardware_model/conditions.h"
#include "simulator/hardware_model/damped.h"
#include "simulator/hardware_model/machine.h"
#include "simulator/hardware_model/placement.h"
#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

// A crew on one CCD.
struct Seat {
  unsigned crew = 0;
  unsigned ccd = 0;
  double cores = 0;         // that it gets, in cores of the reference with all their CPUs busy
  double part = 0;          // that it gets of the CCD's cores, by time
  double misses = 1;        // mu
  double wait = 1;          // lambda Q(u) / Q(u0)
  double service_time = 1;  // S
  double capacity = 0;      // requests/s
  double requests = 0;      // requests/s served
  double bytes = 0;         // memory traffic, bytes/s
  double local_bytes = 0;   // of it, to the node of the CCD
};

struct ServiceRates {
  double capacity = 0;  // requests/s
  double requests = 0;  // requests/s served
  double busy = 1;      // rho
  double latency = 1;   // against an idle reference machine
};

class Rates {
 public:
  // `holders` has the cache holder of each crew. The machine and services must outlive this.
  Rates(const Machine& machine, std::span<const ServiceSpec> services, const Placement& placement,
        std::vector<unsigned> holders);

  // Until the fixed point for these caches is reached; `moments` by service.
  void solve(const CacheWays& caches, std::span<const Conditions> moments);
  // One step only; the largest relative change.
  double step(const CacheWays& caches, std::span<const Conditions> moments);

  std::span<const Seat> seats() const { return seats_; }
  const Crew& crew(const Seat& seat) const { return placement_.crews[seat.crew]; }
  unsigned holder(const Seat& seat) const { return holders_[seat.crew]; }
  std::span<const ServiceRates> services() const { return rates_; }
  double node_use(unsigned node) const { return queues_[node].value() / (1 + queues_[node].value()); }
  std::vector<Inflow> inflows() const;

 private:
  void take_cores(Seat& seat) const;
  void take_time(Seat& seat, const CacheWays& caches, double pace) const;
  void throttle();
  double serve(std::span<const Conditions> moments);
  double use_memory();
  double busy(unsigned crew) const { return busy_[placement_.crews[crew].service].value(); }

  const Machine& machine_;
  std::span<const ServiceSpec> specs_;
  Placement placement_;
  std::vector<unsigned> holders_;
  std::vector<CpuClass> classes_;
  std::vector<Seat> seats_;
  std::vector<ServiceRates> rates_;
  std::vector<Damped> busy_;    // by service
  std::vector<Damped> queues_;  // u / (1 - u), by node
};

}  // namespace bulkhead::sim
