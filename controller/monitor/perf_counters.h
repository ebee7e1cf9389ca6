// SPDX-License-Identifier: Apache-2.0
// Counts events of services and of CCDs with the kernel's perf events, as far as this host and our rights go.
// What is not counted says why, and nothing else suffers from it. Sampling allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "controller/monitor/perf_opener.h"
#include "controller/monitor/perf_services.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct ServicePerf {
  std::string service;
  PerfRates rates;  // by Pmu::service_events
  Measured ipc;
};

struct CcdPerf {
  CacheId ccd;
  PerfRates rates;  // by Pmu::ccd_events
  Measured miss_ratio;
};

class PerfCounters {
 public:
  // Opens what counts for CCDs. `descriptors`: how many may be opened in all, see spare_descriptors(). The
  // system must outlive the counters.
  PerfCounters(PerfSystem& system, Pmu pmu, const Machine& machine, std::size_t descriptors);

  // From now on these. What is as before, its cgroups being the same ones still, goes on being counted.
  void follow(const std::vector<PerfService>& services);

  void sample(MonotonicTime now);

  const Pmu& pmu() const { return pmu_; }
  const std::vector<ServicePerf>& services() const { return service_values_; }  // as followed
  const std::vector<CcdPerf>& ccds() const { return ccd_values_; }              // ascending
  // What is not counted, why, and what would help; a sentence each. Empty: everything is.
  std::vector<std::string> lacks() const;

 private:
  struct Followed {
    PerfService service;
    std::vector<std::uint64_t> identities;  // of its cgroups
    std::size_t descriptors = 0;
    PerfGroupSet groups;
  };

  void open_ccds(const Machine& machine);
  Followed start(const PerfService& service, std::size_t in_use);
  std::vector<PerfPlace> places_of(const PerfService& service) const;
  std::vector<std::uint64_t> identities_of(const PerfService& service);

  PerfOpener opener_;
  Pmu pmu_;
  std::vector<PerfGroupSet> ccd_groups_;
  std::vector<CcdPerf> ccd_values_;
  std::vector<std::string> ccd_lacks_;
  std::size_t ccd_descriptors_ = 0;
  std::vector<Followed> followed_;
  std::vector<ServicePerf> service_values_;
  std::size_t wanted_descriptors_ = 0;  // of all services
};

}  // namespace bulkhead
