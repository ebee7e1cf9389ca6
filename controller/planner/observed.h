// SPDX-License-Identifier: Apache-2.0
// What a host looks like now, as far as it matters to a plan. Values only; resctrl and cgroup fill them in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/planner/plan.h"

namespace bulkhead {

struct ObservedMonitoringGroup {
  std::string name;
  CpuSet cpus;
  bool operator==(const ObservedMonitoringGroup&) const = default;
};

struct ObservedGroup {
  std::string name;  // empty for the default group
  Schemata schemata;
  CpuSet cpus;
  bool exclusive = false;                           // its mode
  std::vector<ObservedMonitoringGroup> monitoring;  // by name

  bool ours() const { return std::string_view(name).starts_with(kGroupPrefix); }
  bool operator==(const ObservedGroup&) const = default;
};

struct ObservedCpuset {
  std::string path;           // below the hierarchy's root, "/system.slice/proxy.service"; "/" is the root
  std::string unit;           // set where systemd owns it: its limits are properties of this unit
  bool controlled = false;    // it has cpuset files; else its parent's subtree_control lacks cpuset
  CpuSet cpus, memory_nodes;  // configured; empty means inherited
  CpuSet effective_cpus, effective_memory_nodes;  // what counts
  std::string partition;  // the kernel's word, "member", "root invalid (...)"; empty on v1 and the root
  bool operator==(const ObservedCpuset&) const = default;
};

// Threads of one service, and the resctrl group that each is in: a path below resctrl's root, "bulkhead.web",
// "bulkhead.bulk/mon_groups/bulkhead.backup", "mon_groups/other", or "" for the default group.
struct ObservedService {
  std::string service;
  std::map<unsigned, std::string> thread_groups;
  std::vector<std::string>
      cgroups;  // the selected ones, or where its processes are; below the hierarchy's root
  std::vector<unsigned> processes;
  bool found = false;  // the selector matches something now
  bool by_process =
      false;  // threads that its processes make are not selected, but inherit the group: they stay
};

// A systemd unit that we once limited and that does not run now.
struct IdleUnit {
  std::string limits;  // as a step has them
  std::string path;    // of the cgroup that its next start makes
};

struct Observed {
  bool resctrl = false;
  bool cgroup_v1 = false;  // cpuset is on a v1 hierarchy
  bool systemd = false;    // it owns the cgroup tree
  unsigned closids = 0;    // control groups that can exist, the default one included
  CpuSet online_cpus;

  std::vector<ObservedGroup> groups;                           // the default group first, then by name
  std::map<std::string, std::vector<unsigned>> group_threads;  // of every group that is ours, by its path,
                                                               // each thread in one; sorted

  // The root, every cgroup of a service with its ancestors, the siblings of all these, and what we once
  // changed.
  std::vector<ObservedCpuset> cpusets;
  std::map<std::string, IdleUnit> idle_units;
  std::vector<unsigned> root_processes;  // user processes that sit in the root cgroup itself
  std::map<std::string, std::vector<unsigned>> own_cgroups;  // processes in cgroups that we made; sorted
  std::map<unsigned, std::string> process_cgroups;           // of processes that a plan may move

  std::vector<ObservedService> services;  // of the policy that was asked about

  const ObservedGroup* find_group(const std::string& name) const;
  const ObservedCpuset* find_cpuset(const std::string& path) const;
  const ObservedService* find_service(const std::string& name) const;
};

}  // namespace bulkhead
