// SPDX-License-Identifier: Apache-2.0
// Partitions whose parent is none: they have their CPUs from the root.
#include "simulator/kernel_model/exclusive_cpusets.h"

namespace bulkhead::sim {

void ExclusiveCpusets::root_changed() {
  update_tasks(*root_);
  update_siblings(*root_, nullptr);
}

Flaw ExclusiveCpusets::enable_remote(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& top = *root_->cpuset;
  const CpuSet share = share_of(group, cpuset, false).cpus;
  if (share.empty() || share.intersects(top.granted) || share.contains(top.effective)) {
    return Flaw::invalid_cpus;
  }
  take(*root_, cpuset.partition, share);
  cpuset.remote = true;
  cpuset.exclusive_effective = share;
  cpuset.flaw = Flaw::none;
  root_changed();
  return Flaw::none;
}

// Without a flaw it becomes a member.
void ExclusiveCpusets::disable_remote(Cgroup& group, Flaw flaw) {
  Cpuset& cpuset = *group.cpuset;
  cpuset.remote = false;
  give_back(*root_, cpuset.partition, cpuset.exclusive_effective);
  cpuset.valid = false;
  cpuset.flaw = flaw;
  if (flaw == Flaw::none) cpuset.partition = PartitionKind::member;
  cpuset.exclusive_effective = share_of(group, cpuset, false).cpus;
  reset(group);
  root_changed();
}

void ExclusiveCpusets::change_remote(Cgroup& group, const CpuSet& share, const CpuSet* exclusive_cpus) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& top = *root_->cpuset;
  if (share.empty()) return disable_remote(group, Flaw::empty);
  const CpuSet more = share - cpuset.exclusive_effective;
  const CpuSet less = cpuset.exclusive_effective - share;
  if (!more.empty()) {
    if (more.intersects(top.granted) || more.contains(top.effective)) cpuset.flaw = Flaw::no_cpus_left;
    if (cpuset.flaw != Flaw::none) return disable_remote(group, cpuset.flaw);
    take(*root_, cpuset.partition, more);
  }
  if (!less.empty()) give_back(*root_, cpuset.partition, less);
  // Before those below the root are updated: this may be one of them.
  cpuset.exclusive_effective = share;
  if (exclusive_cpus != nullptr) cpuset.exclusive_cpus = *exclusive_cpus;
  root_changed();
}

}  // namespace bulkhead::sim
