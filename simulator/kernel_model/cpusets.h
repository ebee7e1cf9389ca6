// SPDX-License-Identifier: Apache-2.0
// The cpuset controller: configured and effective sets, v2 partitions by the rules of Linux 6.1, and v1.
// Partitions of 6.12 differ where two claim the same CPUs; the model keeps to 6.1 there.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "simulator/kernel_model/cgroup.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class Cpusets {
 public:
  // `membership`: the member of Task that holds its cgroup's id in this hierarchy.
  Cpusets(World& world, bool v1, unsigned Task::*membership);

  void start(Cgroup& root);
  void create(Cgroup& group);
  void destroy(Cgroup& group);

  int write_cpus(Cgroup& group, std::string_view text);
  int write_mems(Cgroup& group, std::string_view text);
  int write_partition(Cgroup& group, std::string_view text);
  int write_exclusive(Cgroup& group, std::string_view text);  // v1
  std::string print_partition(const Cgroup& group) const;

  int may_attach(const Task& task, Cgroup& group) const;
  void attached(Task& task, Cgroup& group) const;
  void cpus_changed(Cgroup& root);  // some went offline or came online

  bool populated(const Cgroup& group) const;  // it or one below has a living task
  bool has_tasks(const Cgroup& group) const;

 private:
  // cpusets.cpp
  int validate(const Cgroup& group, const CpuSet& cpus, const CpuSet& mems) const;
  bool collides_with_sibling(const Cgroup& group, const CpuSet& cpus, bool exclusive) const;
  CpuSet effective_of(const Cgroup& group) const;
  void update_below(Cgroup& from, bool force);
  void update_one(Cgroup& group, const Cgroup& from, const CpuSet& effective);
  void update_siblings(Cgroup& group);
  void update_mems(Cgroup& group);
  void update_tasks(Cgroup& group) const;
  int apply_cpus(Cgroup& group, const CpuSet& wanted);

  // partitions.cpp
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

  // cpusets_v1.cpp
  int validate_v1(const Cgroup& group, const CpuSet& cpus, const CpuSet& mems) const;
  void follow_hotplug_v1(Cgroup& group);

  World& world_;
  bool v1_;
  unsigned Task::*membership_;
};

}  // namespace bulkhead::sim
