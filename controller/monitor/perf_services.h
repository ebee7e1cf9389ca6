// SPDX-License-Identifier: Apache-2.0
// Whose events are counted: services of a plan, by their cgroups where they have some of their own, else by
// their threads. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/kernel/mounts.h"
#include "controller/planner/observed.h"
#include "controller/planner/plan.h"

namespace bulkhead {

struct PerfService {
  std::string name;
  std::vector<std::string> cgroups;  // paths of their directories
  std::vector<unsigned> threads;     // where there are no cgroups
  CpuSet cpus;                       // where it may run; what runs elsewhere is not counted
  bool operator==(const PerfService&) const = default;
};

// Where the kernel knows the cgroups of services by their events: `service_root`, where they lie, if that is
// the hierarchy with perf_event. On v1 that is mostly another one, in which services have no cgroups: empty.
std::string perf_cgroup_root(const std::vector<Mount>& mounts, const std::string& service_root);

// `cgroup_root` is what the former says.
std::vector<PerfService> perf_services(const Plan& plan, const Observed& now, const std::string& cgroup_root);

}  // namespace bulkhead
