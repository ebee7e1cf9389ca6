// SPDX-License-Identifier: Apache-2.0
// Caches, memory and services as time passes. No clock: the caller says how much time goes by, and where the
// threads were in it. The same seed, placements and times give the same numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "simulator/hardware_model/cache_ways.h"
#include "simulator/hardware_model/conditions.h"
#include "simulator/hardware_model/latency.h"
#include "simulator/hardware_model/machine.h"
#include "simulator/hardware_model/placement.h"
#include "simulator/hardware_model/rates.h"
#include "simulator/hardware_model/service.h"

namespace bulkhead::sim {

// What a service shows of itself.
struct ServiceMetrics {
  double requests_per_second = 0;  // at the moment, like the next two
  double capacity = 0;
  Latency latency;
  LatencyHistogram histogram;  // since the start; counts the requests too
};

class HardwareModel {
 public:
  HardwareModel(Machine machine, std::vector<ServiceSpec> services, std::uint64_t seed,
                const Disturbance& disturbance = {});
  HardwareModel(const HardwareModel&) = delete;
  HardwareModel& operator=(const HardwareModel&) = delete;

  // Any length: the model cuts it at its own ticks, so that the sizes of steps do not matter. Throws
  // Error(internal), without a change, if the placement does not fit the machine and the services.
  void step(std::chrono::nanoseconds time, const Placement& placement);
  void set_offered(unsigned service, double requests_per_second);  // the mean, from the next step on

  std::chrono::nanoseconds now() const { return now_; }
  const Machine& machine() const { return machine_; }
  const std::vector<ServiceSpec>& services() const { return services_; }
  const std::vector<ServiceMetrics>& metrics() const { return metrics_; }

  // Of all crews under a counted id on a CCD, by its index; 0 for an id that no crew has had. Traffic is
  // since the start and never goes back.
  std::uint64_t occupancy(unsigned counted, unsigned ccd) const;
  std::uint64_t total_bytes(unsigned counted, unsigned ccd) const;
  std::uint64_t local_bytes(unsigned counted, unsigned ccd) const;
  double all_bytes(unsigned ccd) const;  // of all ids that ever were, since the start

 private:
  struct Traffic {
    double total = 0;
    double local = 0;
  };

  void place(const Placement& placement);
  void evaluate();
  bool is_outdated() const;
  void pass(double seconds);
  unsigned holder_of(const Crew& crew);

  const Machine machine_;
  std::vector<ServiceSpec> services_;
  std::uint64_t seed_;
  Disturbance disturbance_;
  std::chrono::nanoseconds now_{0};
  CacheWays caches_;
  std::map<std::pair<unsigned, unsigned>, unsigned> holders_;  // by counted id and service
  std::map<std::pair<unsigned, unsigned>, Traffic> traffic_;   // by counted id and CCD
  std::vector<ServiceMetrics> metrics_;

  // What holds from the last evaluation on.
  std::optional<Placement> placement_;
  std::optional<Rates> rates_;
  std::vector<Conditions> moments_;
  std::vector<Inflow> inflows_;
  std::vector<double> held_;  // bytes, by seat
  bool is_stale_ = false;
};

}  // namespace bulkhead::sim
