// SPDX-License-Identifier: Apache-2.0
// One cgroup with its cpuset, as values; CgroupTree and Cpusets have the rules.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"

namespace bulkhead::sim {

enum class PartitionKind { member, root, isolated };

// Why a partition is invalid.
enum class Flaw {
  none,
  invalid_cpus,
  invalid_parent,
  parent_is_none,
  not_exclusive,
  no_cpus_left,
  hotplug,
  empty,
  remote_below,
};

struct Cpuset {
  CpuSet cpus;  // configured; empty inherits in v2
  CpuSet mems;
  CpuSet effective;
  CpuSet effective_mems;
  CpuSet granted;         // CPUs that partitions below own and this one lacks; since 6.7 of the root only
  CpuSet exclusive_cpus;  // since 6.7: configured, what partitions here and below can have
  CpuSet exclusive_effective;  // and what of it they get
  PartitionKind partition = PartitionKind::member;
  bool valid = false;      // of a partition
  bool remote = false;     // a valid one that has its CPUs from the root, not from its parent
  Flaw flaw = Flaw::none;  // the last one; counts while invalid
  bool inherits = false;   // in 6.1: has its parent's CPUs, for lack of own ones
  bool exclusive = false;  // no sibling may have these CPUs; v1 has a file for it

  bool is_partition() const { return partition != PartitionKind::member && valid; }
  bool is_broken_partition() const { return partition != PartitionKind::member && !valid; }
};

struct Cgroup {
  unsigned id = 0;
  std::uint64_t identity = 0;
  std::string name;
  Cgroup* parent = nullptr;
  std::vector<std::unique_ptr<Cgroup>> children;  // as they were made
  std::set<std::string> subtree_control;
  bool threaded = false;
  std::optional<Cpuset> cpuset;  // where the controller is enabled for it

  std::string path() const;  // "/" or "/a/b"
  Cgroup& cpuset_owner();    // the nearest that has one, this or an ancestor
};

}  // namespace bulkhead::sim
