// SPDX-License-Identifier: Apache-2.0
// The performance counters of this host, for a plan's services as they are found.
#pragma once

#include <memory>
#include <string>

#include "controller/monitor/perf_counters.h"

namespace bulkhead {

class PerfWatch {
 public:
  // `service_root`: Hierarchy::service_mount_point. `limit`: what raise_descriptor_limit() gave; what is open
  // by now is taken off.
  PerfWatch(FileSystem& files, const Machine& machine, const std::string& service_root, std::size_t limit);

  void follow(const Plan& plan, const Observed& now) {
    counters_.follow(perf_services(plan, now, cgroup_root_));
  }
  void sample(MonotonicTime now) { counters_.sample(now); }
  const PerfCounters& counters() const { return counters_; }

 private:
  std::unique_ptr<PerfSystem> system_;
  std::string cgroup_root_;
  PerfCounters counters_;
};

}  // namespace bulkhead
