// SPDX-License-Identifier: Apache-2.0
// Whether the host is as planned, by structure: groups, masks, CPUs, every thread's group and allowed CPUs,
// and who else may run on CPUs that a service should have alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/engine/targets.h"
#include "controller/planner/observed.h"
#include "controller/planner/plan.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct Finding {
  std::string kind;  // "group", "monitoring_group", "mask", "bandwidth", "group_cpus", "thread_group",
                     // "cpuset", "effective_cpus", "effective_mems", "partition", "thread_cpus", "intruder";
                     // "plan" where the policy cannot be had on this host any more
  std::string service;  // empty for the default group and for intruders in nobody's service
  std::optional<CacheId> ccd;
  std::string expected;
  std::string observed;
  std::string message;                 // one sentence with all of it
  std::vector<unsigned> threads = {};  // that it is about, where it is about threads
};

// A thread of the host; lists of them are sorted by id.
struct HostThread {
  unsigned id = 0;
  std::string name;
  CpuSet allowed_cpus;
  bool kernel = false;
};

std::vector<Finding> verify_structure(const Plan& plan, const Observed& now,
                                      const std::vector<CpusetTarget>& targets,
                                      const std::vector<HostThread>& threads, const Machine& machine);

}  // namespace bulkhead
