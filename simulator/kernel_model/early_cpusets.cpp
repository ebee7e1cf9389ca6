// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/early_cpusets.h"

#include <algorithm>
#include <cerrno>
#include <functional>

namespace bulkhead::sim {
bool EarlyCpusets::collides_with_sibling(const Cgroup& group, const CpuSet& cpus, bool exclusive) const {
  return std::ranges::any_of(group.parent->children, [&](const auto& sibling) {
    return sibling.get() != &group && sibling->cpuset && (exclusive || sibling->cpuset->exclusive) &&
           sibling->cpuset->cpus.intersects(cpus);
  });
}

int EarlyCpusets::validate(const Cgroup& group, const Cpuset& wanted) const {
  if (v1_) {
    if (const int error = validate_v1(group, wanted)) return error;
  }
  if (collides_with_sibling(group, wanted.cpus, wanted.exclusive)) return EINVAL;
  return loses_all(group, wanted) ? ENOSPC : 0;
}

int EarlyCpusets::apply_cpus(Cgroup& group, const CpuSet& wanted) {
  Cpuset& cpuset = *group.cpuset;
  Cpuset changed = cpuset;
  changed.cpus = wanted;
  const int error = validate(group, changed);
  const bool takes_from_partition = error == EINVAL && !v1_;
  if (error != 0 && !takes_from_partition) return error;
  if (takes_from_partition) {
    for (const auto& child : group.parent->children) {
      if (is_valid_partition(*child) && child->cpuset->cpus.intersects(wanted)) invalidate(*child);
    }
  }
  if (cpuset.partition != PartitionKind::member) {
    takes_from_partition ? invalidate(group) : reclaim(group, &wanted);
  }
  cpuset.cpus = wanted;
  if (!cpuset.granted.empty()) {
    const bool starves = cpuset.granted.contains(effective_of(group)) && leaves_tasks_without(group, nullptr);
    if (!cpuset.valid || starves) cpuset.granted = {};
    cpuset.granted &= wanted;
  }
  update_below(group, false);
  if (cpuset.partition != PartitionKind::member) update_siblings(group);
  return 0;
}

CpuSet EarlyCpusets::effective_of(const Cgroup& group) const {
  const Cpuset& above = *group.parent->cpuset;
  if (above.granted.empty()) return group.cpuset->cpus & above.effective;
  return (above.effective | above.granted) & group.cpuset->cpus & world_.online;
}

void EarlyCpusets::update_below(Cgroup& from, bool force) {
  const std::function<void(Cgroup&)> visit = [&](Cgroup& group) {
    Cpuset& cpuset = *group.cpuset;
    CpuSet effective = effective_of(group);
    const bool gave_all = effective.empty() && cpuset.is_partition() && cpuset.cpus == cpuset.granted;
    if (!v1_ && !gave_all) {
      cpuset.inherits = effective.empty();
      if (cpuset.inherits) effective = group.parent->cpuset->effective;
    }
    const bool same = effective == cpuset.effective && !gave_all;
    if (cpuset.partition == PartitionKind::member && !force && same) return;
    update_one(group, from, effective);
    for (const auto& child : group.children) {
      if (child->cpuset) visit(*child);
    }
  };
  visit(from);
}

void EarlyCpusets::update_one(Cgroup& group, const Cgroup& from, CpuSet effective) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  const bool asks = &group != &from && cpuset.partition != PartitionKind::member;
  const bool breaks = asks && !above.is_partition();
  if (breaks) {
    cpuset.flaw = above.is_broken_partition() ? Flaw::invalid_parent : Flaw::parent_is_none;
  } else if (asks) {
    reclaim(group, nullptr);
  }
  if (!cpuset.valid) {
    effective |= cpuset.granted & world_.online;
    cpuset.granted = {};
  }
  cpuset.effective = effective - cpuset.granted;
  if (breaks) cpuset.valid = false;  // with what it granted: the kernel forgets that at the next change
  update_tasks(group);
}

// Those that have the CPUs of their parent; no others look at what it has now.
void EarlyCpusets::update_siblings(Cgroup& group) {
  for (const auto& sibling : group.parent->children) {
    const bool follows = sibling.get() != &group && sibling->cpuset && sibling->cpuset->inherits;
    if (follows) update_below(*sibling, false);
  }
}

void EarlyCpusets::cpus_changed(Cgroup& root) {
  Cpuset& cpuset = *root.cpuset;
  cpuset.effective = world_.online - cpuset.granted;
  if (cpuset.effective.empty()) {
    cpuset.granted = {};
    cpuset.effective = world_.online;
  }
  const std::function<void(Cgroup&)> visit = [&](Cgroup& group) {
    for (const auto& child : group.children) {
      if (!child->cpuset) continue;
      v1_ ? follow_hotplug_v1(*child) : follow_hotplug(*child);
      visit(*child);
    }
  };
  visit(root);
}

}  // namespace bulkhead::sim
