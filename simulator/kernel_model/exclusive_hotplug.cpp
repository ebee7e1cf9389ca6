// SPDX-License-Identifier: Apache-2.0
// CPUs go offline and come back: partitions that have none left break, and mend.
#include <functional>

#include "simulator/kernel_model/exclusive_cpusets.h"

namespace bulkhead::sim {

void ExclusiveCpusets::cpus_changed(Cgroup& root) {
  Cpuset& top = *root.cpuset;
  // Where nothing would be left for the root, the partitions compete for CPUs anew.
  if (top.granted.contains(world_.online)) top.granted = {};
  top.effective = world_.online - top.granted;
  const std::function<void(Cgroup&)> visit = [&](Cgroup& group) {
    for (const auto& child : group.children) {
      if (!child->cpuset) continue;
      follow_hotplug(*child);
      visit(*child);
    }
  };
  visit(root);
}

void ExclusiveCpusets::follow_hotplug(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  CpuSet effective = cpuset.cpus & above.effective;
  if (cpuset.partition != PartitionKind::member) follow_hotplug_as_partition(group, effective);
  // A group that inherits its nodes is always taken for one whose nodes changed.
  const bool same_mems = (cpuset.mems & above.effective_mems) == cpuset.effective_mems;
  if (same_mems && effective == cpuset.effective) return;
  if (effective.empty() && !cpuset.is_partition()) effective = above.effective;
  cpuset.effective = effective;
  update_tasks(group);
}

void ExclusiveCpusets::follow_hotplug_as_partition(Cgroup& group, CpuSet& effective) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  const bool none_granted = root_->cpuset->granted.empty();
  if (cpuset.remote || (cpuset.is_partition() && above.is_partition())) effective = divide(group);
  if (cpuset.remote && (none_granted || (effective.empty() && needs_cpus(group, nullptr)))) {
    disable_remote(group, Flaw::hotplug);
    effective = cpuset.cpus & above.effective;
  }
  const bool local = cpuset.is_partition() && !cpuset.remote;
  if (local && (!above.is_partition() || starves(group, effective) || none_granted)) {
    invalidate(group);
    effective = divide(group);
  } else if (cpuset.is_broken_partition() && above.is_partition() && !cpuset.exclusive_effective.empty()) {
    recheck(group);
    if (cpuset.is_partition()) effective = divide(group);
  }
}

}  // namespace bulkhead::sim
