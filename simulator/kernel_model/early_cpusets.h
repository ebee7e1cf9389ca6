// SPDX-License-Identifier: Apache-2.0
// Cpusets of v1, and of v2 with partitions by the rules of Linux 6.1: a partition's CPUs are those of
// cpuset.cpus, and its parent is a partition, too.
#pragma once

#include <string_view>

#include "simulator/kernel_model/cpusets.h"

namespace bulkhead::sim {

class EarlyCpusets : public Cpusets {
 public:
  using Cpusets::Cpusets;

  int write_exclusive(Cgroup& group, std::string_view text) override;  // v1
  void cpus_changed(Cgroup& root) override;

 protected:
  int apply_cpus(Cgroup& group, const CpuSet& wanted) override;
  int validate(const Cgroup& group, const Cpuset& wanted) const override;
  void change_kind(Cgroup& group, PartitionKind kind) override;
  void dissolve(Cgroup& group) override;

 private:
  // early_cpusets.cpp
  bool collides_with_sibling(const Cgroup& group, const CpuSet& cpus, bool exclusive) const;
  CpuSet effective_of(const Cgroup& group) const;
  void update_below(Cgroup& from, bool force);
  void update_one(Cgroup& group, const Cgroup& from, CpuSet effective);
  void update_siblings(Cgroup& group);

  // early_partitions.cpp
  Flaw claim(Cgroup& group);
  void release(Cgroup& group);
  void invalidate(Cgroup& group);
  void reclaim(Cgroup& group, const CpuSet* wanted);
  void exchange(Cgroup& group, const CpuSet& more, const CpuSet& less);
  bool leaves_tasks_without(const Cgroup& parent, const Cgroup* claimant) const;
  void turn_on(Cgroup& group, PartitionKind kind);
  void turn_off(Cgroup& group);
  void follow_hotplug(Cgroup& group);
  void set_state_after_hotplug(Cgroup& group, CpuSet& effective);

  // early_cpusets_v1.cpp
  int validate_v1(const Cgroup& group, const Cpuset& wanted) const;
  void follow_hotplug_v1(Cgroup& group);
};

}  // namespace bulkhead::sim
