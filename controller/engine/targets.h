// SPDX-License-Identifier: Apache-2.0
// Which cgroups a plan's cpusets mean on this host, now.
#pragma once

#include <string>
#include <vector>

#include "cgroup/hierarchy.h"
#include "controller/engine/contested.h"
#include "controller/engine/state.h"
#include "controller/planner/observed.h"
#include "controller/planner/plan.h"

namespace bulkhead {

struct CpusetTarget {
  std::string service;
  std::string path;  // of the cgroup; empty for a unit that we once limited and that does not run now
  std::string unit;  // set where its limits go through systemd
  CpuSet cpus;
  CpuSet memory_nodes;  // empty: left alone
  Partition partition = Partition::member;
  bool own = false;  // ours; `processes` belong in it
  std::vector<unsigned> processes;

  const std::string& name() const { return unit.empty() ? path : unit; }
};

// In the plan's order, each service's cgroups sorted. A service that is not found has none. `baseline` says
// what a cgroup of others was confined to before we came: that is narrowed, never widened. Throws
// Error(unsupported) for what this host's cgroup tree cannot do, Error(infeasible) for a cgroup that would be
// left without CPUs: where that is to be left to others, it keeps those that it has, and `objections` gets
// the error.
std::vector<CpusetTarget> resolve_targets(const Plan& plan, const Observed& now, const Baseline& baseline,
                                          Contested contested = Contested::refuse,
                                          std::vector<Error>* objections = nullptr);

// Whether the service's processes go to a cgroup of ours, because the ones they are in are not the service's
// own.
bool needs_own_cgroup(const Select& select, const ObservedService& service, const Observed& now);

// Whether `cpuset` has these CPUs. Ones that it also lists and that are offline now do not matter: a service
// gets them back when they return.
bool are_configured(const CpuSet& cpus, const ObservedCpuset& cpuset, const CpuSet& online);

// Whether `path` lies below `ancestor` ("/" included), not being it.
bool is_below(const std::string& path, const std::string& ancestor);

// All ancestors from "/" down, without the path itself.
std::vector<std::string> ancestors_of(const std::string& path);

}  // namespace bulkhead
