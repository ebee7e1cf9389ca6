// SPDX-License-Identifier: Apache-2.0
// What a change of one group's CPUs makes of those below it and beside it.
#include <functional>

#include "simulator/kernel_model/exclusive_cpusets.h"

namespace bulkhead::sim {

// The CPUs that a partition keeps for itself: those of the partitions below it are theirs, as far as these
// can stay.
CpuSet ExclusiveCpusets::divide(Cgroup& group) {
  CpuSet left = share_of(group, *group.cpuset, false).cpus & world_.online;
  const bool needed = needs_cpus(group, nullptr);
  for (const auto& child : group.children) {
    if (!is_valid_partition(*child)) continue;
    Cpuset& part = *child->cpuset;
    part.flaw = Flaw::none;
    if (!group.cpuset->exclusive_effective.contains(part.exclusive_effective)) {
      part.flaw = Flaw::invalid_cpus;
    } else if (needed && part.exclusive_effective.contains(left)) {
      part.flaw = Flaw::no_cpus_left;
    }
    if (part.flaw == Flaw::none) {
      left -= part.exclusive_effective;
    } else {
      part.valid = false;
    }
  }
  return left;
}

void ExclusiveCpusets::update_below(Cgroup& from, bool force) {
  const std::function<void(Cgroup&)> visit = [&](Cgroup& group) {
    if (!update_one(group, from, force)) return;
    for (const auto& child : group.children) {
      if (child->cpuset) visit(*child);
    }
  };
  visit(from);
}

// Whether those below are to be looked at.
bool ExclusiveCpusets::update_one(Cgroup& group, const Cgroup& from, bool force) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  const bool was_partition = cpuset.partition != PartitionKind::member;
  bool remote = cpuset.remote;
  if (remote && &group != &from) {
    const CpuSet share = share_of(group, cpuset, false).cpus;
    if (share == cpuset.exclusive_effective) return false;
    change_remote(group, share, nullptr);
    remote = cpuset.remote;
  }
  const bool divides = remote || (above.is_partition() && cpuset.is_partition());
  CpuSet effective = divides ? divide(group) : cpuset.cpus & above.effective;
  if (!remote) {
    const bool gave_all = cpuset.is_partition() && effective.empty();
    if (effective.empty() && !gave_all) effective = above.effective;
    if (!gave_all && cpuset.partition == PartitionKind::member && !force && effective == cpuset.effective) {
      return false;
    }
    if (&group != &from && was_partition && !above.is_partition()) {
      if (!gave_all) cpuset.valid = false;  // the kernel overlooks those that have no CPU
      cpuset.flaw = above.is_broken_partition() ? Flaw::invalid_parent : Flaw::parent_is_none;
    } else if (gave_all || (&group != &from && was_partition)) {
      recheck(group);
    }
  }
  take_over(group, from, effective);
  return true;
}

void ExclusiveCpusets::take_over(Cgroup& group, const Cgroup& from, const CpuSet& effective) {
  Cpuset& cpuset = *group.cpuset;
  cpuset.effective = effective;
  if (!cpuset.exclusive_cpus.empty() && &group != &from) {
    cpuset.exclusive_effective = share_of(group, cpuset, false).cpus;
  }
  if (cpuset.is_partition() && cpuset.exclusive_cpus.empty()) {
    cpuset.exclusive_effective = cpuset.cpus & group.parent->cpuset->exclusive_effective;
  } else if (cpuset.is_broken_partition()) {
    reset(group);
  }
  update_tasks(group);
}

void ExclusiveCpusets::update_siblings(Cgroup& parent, const Cgroup* except) {
  for (const auto& sibling : parent.children) {
    if (sibling.get() == except || !sibling->cpuset) continue;
    const Cpuset& cpuset = *sibling->cpuset;
    const bool keeps =
        cpuset.is_partition() ? cpuset.remote : (cpuset.cpus & parent.cpuset->effective) == cpuset.effective;
    if (!keeps) update_below(*sibling, false);
  }
}

}  // namespace bulkhead::sim
