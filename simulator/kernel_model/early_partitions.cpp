// SPDX-License-Identifier: Apache-2.0
// cpuset.cpus.partition of Linux 6.1, and who owns which CPUs because of it. A write succeeds even where the
// partition turns out to be invalid, and an invalid one becomes valid when its flaw goes away.
#include <algorithm>

#include "simulator/kernel_model/early_cpusets.h"

namespace bulkhead::sim {
void EarlyCpusets::change_kind(Cgroup& group, PartitionKind kind) {
  Cpuset& cpuset = *group.cpuset;
  if (cpuset.partition == kind) return;
  if (kind != PartitionKind::member && cpuset.is_broken_partition()) {
    cpuset.partition = kind;  // it stays so, with its old flaw
    return;
  }
  if (kind == PartitionKind::member) {
    turn_off(group);
  } else if (cpuset.partition == PartitionKind::member) {
    turn_on(group, kind);
  } else {
    cpuset.partition = kind;
  }
  if (!cpuset.is_broken_partition()) {
    update_tasks(*group.parent);
    update_siblings(group);
  }
  const bool has_cpusets_below =
      std::ranges::any_of(group.children, [](const auto& child) { return child->cpuset.has_value(); });
  if (has_cpusets_below) update_below(group, kind == PartitionKind::member);
}

void EarlyCpusets::dissolve(Cgroup& group) {
  change_kind(group, PartitionKind::member);
}

void EarlyCpusets::turn_on(Cgroup& group, PartitionKind kind) {
  Cpuset& cpuset = *group.cpuset;
  Flaw flaw = Flaw::none;
  if (cpuset.cpus.empty()) {
    flaw = Flaw::empty;
  } else if (collides_with_sibling(group, cpuset.cpus, true)) {
    flaw = Flaw::not_exclusive;
  } else {
    flaw = claim(group);
  }
  cpuset.partition = kind;
  cpuset.valid = cpuset.exclusive = flaw == Flaw::none;
  cpuset.flaw = flaw;
}

void EarlyCpusets::turn_off(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  if (cpuset.valid) release(group);
  cpuset.partition = PartitionKind::member;
  cpuset.valid = cpuset.exclusive = false;
  cpuset.flaw = Flaw::none;
  if (!cpuset.granted.empty()) {
    cpuset.granted = {};
    cpuset.effective = effective_of(group);
  }
}

void EarlyCpusets::exchange(Cgroup& group, const CpuSet& more, const CpuSet& less) {
  Cpuset& above = *group.parent->cpuset;
  above.granted |= more;
  above.effective -= more;
  above.granted -= less;
  above.effective |= less & world_.online;
  if (!more.empty() || !less.empty()) update_tasks(*group.parent);
}

// Whether tasks directly in `parent`, or in members below it, need CPUs of it.
bool EarlyCpusets::leaves_tasks_without(const Cgroup& parent, const Cgroup* claimant) const {
  if (has_tasks(parent)) return true;
  if (claimant == nullptr && parent.cpuset->granted.empty()) return populated(parent);
  return std::ranges::any_of(parent.children, [&](const auto& child) {
    if (!child->cpuset || is_valid_partition(*child)) return false;
    if (child.get() != claimant) return populated(*child);
    return std::ranges::any_of(child->children, [&](const auto& below) {
      return below->cpuset && !is_valid_partition(*below) && populated(*below);
    });
  });
}

Flaw EarlyCpusets::claim(Cgroup& group) {
  const Cpuset& above = *group.parent->cpuset;
  const CpuSet& cpus = group.cpuset->cpus;
  if (!above.is_partition()) return above.is_broken_partition() ? Flaw::invalid_parent : Flaw::parent_is_none;
  if (!cpus.intersects(above.cpus)) return Flaw::invalid_cpus;
  if (cpus.contains(above.effective) && leaves_tasks_without(*group.parent, &group))
    return Flaw::no_cpus_left;
  exchange(group, cpus, {});
  return Flaw::none;
}

void EarlyCpusets::release(Cgroup& group) {
  const Cpuset& above = *group.parent->cpuset;
  if (above.is_partition()) exchange(group, {}, group.cpuset->cpus & above.granted);
}

void EarlyCpusets::invalidate(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  if (!cpuset.valid || !is_valid_partition(*group.parent) || cpuset.cpus.empty()) return;
  release(group);
  cpuset.valid = cpuset.exclusive = false;
  cpuset.flaw = Flaw::not_exclusive;
}

// A partition asks again for its CPUs, `wanted` ones or (after a change elsewhere) those that it has.
void EarlyCpusets::reclaim(Cgroup& group, const CpuSet* wanted) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  const CpuSet& cpus = wanted != nullptr ? *wanted : cpuset.cpus;
  if (!above.is_partition()) return;
  if (cpus.empty()) return;  // a partition of no CPUs stays valid
  CpuSet more = (cpus & above.cpus) - above.granted;
  CpuSet less = wanted != nullptr ? (cpuset.cpus - cpus) & above.granted : CpuSet{};
  const bool takes_all = !more.empty() && more.contains(above.effective) && !less.intersects(world_.online) &&
                         leaves_tasks_without(*group.parent, &group);
  const bool lost = wanted == nullptr && cpuset.valid && above.granted.empty();
  const bool fits = !takes_all && !lost;
  if (!fits) {
    cpuset.flaw = Flaw::no_cpus_left;
    more = {};
    if (wanted != nullptr || cpuset.valid) less = cpuset.cpus & above.granted;
  }
  if (fits != cpuset.valid) {
    // The kernel tests the CPUs that the group had until now.
    if (fits && !cpuset.exclusive && collides_with_sibling(group, cpuset.cpus, true)) return;
    cpuset.exclusive = fits;
  }
  exchange(group, more, less);
  cpuset.valid = fits;
}

void EarlyCpusets::follow_hotplug(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  CpuSet effective = effective_of(group) - cpuset.granted;
  if (cpuset.partition != PartitionKind::member) set_state_after_hotplug(group, effective);
  if (effective.empty() && !cpuset.is_partition()) effective = group.parent->cpuset->effective;
  cpuset.effective = effective;
  update_tasks(group);
}

void EarlyCpusets::set_state_after_hotplug(Cgroup& group, CpuSet& effective) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  if (!cpuset.granted.empty() && cpuset.valid && effective.empty() && leaves_tasks_without(group, nullptr)) {
    cpuset.granted = {};
    effective = effective_of(group);
  }
  const bool starved = effective.empty() && leaves_tasks_without(group, nullptr);
  if (cpuset.valid && (above.granted.empty() || starved)) {
    release(group);
    cpuset.granted = {};
    effective = effective_of(group);
    cpuset.valid = false;
    cpuset.flaw = above.is_broken_partition() ? Flaw::invalid_parent
                  : above.is_partition()      ? Flaw::hotplug
                                              : Flaw::parent_is_none;
  } else if (cpuset.is_broken_partition() && above.is_partition()) {
    reclaim(group, nullptr);
  }
}

}  // namespace bulkhead::sim
