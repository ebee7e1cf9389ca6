// SPDX-License-Identifier: Apache-2.0
// Partitions whose parent is one, too: which CPUs they take from it, and when they break or mend.
#include <algorithm>

#include "simulator/kernel_model/exclusive_cpusets.h"

namespace bulkhead::sim {

// `tentative`: the claims are about to be made, so that all of the siblings' count against them.
ExclusiveCpusets::Share ExclusiveCpusets::share_of(const Cgroup& group, const Cpuset& claimant,
                                                   bool tentative) const {
  Share share{claimed(claimant) & group.parent->cpuset->exclusive_effective};
  if (!tentative && !claimant.exclusive_cpus.empty()) return share;
  for (const auto& sibling : group.parent->children) {
    if (sibling.get() == &group || !sibling->cpuset) continue;
    for (const CpuSet* held : {&sibling->cpuset->exclusive_cpus, &sibling->cpuset->exclusive_effective}) {
      if (!share.cpus.intersects(*held)) continue;
      share.cpus -= *held;
      share.contested = true;
      break;
    }
  }
  return share;
}

// Whether tasks of the group, or below it outside of partitions, live on its CPUs. The claimant is about to
// be a partition of its own.
bool ExclusiveCpusets::needs_cpus(const Cgroup& group, const Cgroup* claimant) const {
  if (has_tasks(group)) return true;
  const bool has_partitions = std::ranges::any_of(
      group.children, [](const auto& child) { return is_valid_partition(*child) && !child->cpuset->remote; });
  if (claimant == nullptr && !has_partitions) return populated(group);
  return std::ranges::any_of(group.children, [&](const auto& child) {
    if (!child->cpuset || is_valid_partition(*child)) return false;
    if (child.get() != claimant && populated(*child)) return true;
    return child.get() == claimant && std::ranges::any_of(child->children, [&](const auto& below) {
             return below->cpuset && !is_valid_partition(*below) && populated(*below);
           });
  });
}

// Whether tasks would have no CPU: the parent's if `cpus` are taken from it, or those of the group on them.
bool ExclusiveCpusets::starves(const Cgroup& group, const CpuSet& cpus) const {
  if (cpus.contains(group.parent->cpuset->effective) && needs_cpus(*group.parent, &group)) return true;
  return !cpus.intersects(world_.online) && needs_cpus(group, nullptr);
}

void ExclusiveCpusets::take(Cgroup& from, PartitionKind kind, const CpuSet& cpus) {
  if (&from == root_) from.cpuset->granted |= cpus;
  if (kind != from.cpuset->partition) {
    kind == PartitionKind::isolated ? isolated_ |= cpus : isolated_ -= cpus;
  }
  from.cpuset->effective -= cpus;
}

void ExclusiveCpusets::give_back(Cgroup& to, PartitionKind kind, const CpuSet& cpus) {
  if (&to == root_) to.cpuset->granted -= cpus;
  if (kind != to.cpuset->partition) {
    to.cpuset->partition == PartitionKind::isolated ? isolated_ |= cpus : isolated_ -= cpus;
  }
  to.cpuset->effective |= cpus & world_.online;
}

bool ExclusiveCpusets::make_exclusive(Cgroup& group, bool exclusive) {
  Cpuset& cpuset = *group.cpuset;
  if (exclusive && !cpuset.exclusive) {
    Cpuset wanted = cpuset;
    wanted.exclusive = true;
    if (collides(group, wanted)) return false;
  }
  cpuset.exclusive = exclusive;
  return true;
}

bool ExclusiveCpusets::settle(Cgroup& group, const Exchange& exchange, bool must_be_exclusive) {
  Cpuset& cpuset = *group.cpuset;
  Cgroup& parent = *group.parent;
  const bool changes = cpuset.valid != exchange.valid;
  if (exchange.returned.empty() && exchange.taken.empty() && !changes) return true;
  if (changes && must_be_exclusive && !make_exclusive(group, exchange.valid)) return false;
  cpuset.valid = exchange.valid;
  if (!exchange.returned.empty()) give_back(parent, cpuset.partition, exchange.returned);
  if (!exchange.taken.empty()) take(parent, cpuset.partition, exchange.taken);
  if (changes && !must_be_exclusive) make_exclusive(group, exchange.valid);
  if (!exchange.returned.empty() || !exchange.taken.empty()) {
    update_tasks(parent);
    update_siblings(parent, &group);
  }
  if (changes && cpuset.valid) cpuset.flaw = Flaw::none;
  return true;
}

void ExclusiveCpusets::disable(Cgroup& group) {
  const Cpuset& cpuset = *group.cpuset;
  if (!is_valid_partition(*group.parent)) return;
  settle(group, {.returned = cpuset.valid ? cpuset.exclusive_effective : CpuSet{}, .valid = false}, true);
}

// It keeps the flaw that it has been given, and may have none.
void ExclusiveCpusets::invalidate(Cgroup& group) {
  if (!group.cpuset->valid) return;
  Exchange exchange;
  if (is_valid_partition(*group.parent)) {
    exchange.returned = claimed(*group.cpuset) & group.parent->cpuset->exclusive_effective;
  }
  settle(group, exchange, true);
}

// A flaw breaks a partition; a broken one without any is valid again.
void ExclusiveCpusets::conclude(Cgroup& group, Exchange exchange, Flaw flaw) {
  if (flaw != Flaw::none) group.cpuset->flaw = flaw;
  exchange.valid = flaw == Flaw::none;
  settle(group, exchange, false);
}

void ExclusiveCpusets::update_to(Cgroup& group, const CpuSet& wanted) {
  const Cpuset& cpuset = *group.cpuset;
  if (!is_valid_partition(*group.parent)) return;
  if (wanted.empty()) return conclude(group, {}, Flaw::empty);
  const CpuSet& all = group.parent->cpuset->exclusive_effective;
  const CpuSet& had = claimed(cpuset);
  Exchange exchange;
  if (cpuset.valid) exchange.returned = (had - wanted) & all;
  exchange.taken = (cpuset.valid ? wanted - had : wanted) & all;
  const bool starving = starves(group, had) || starves(group, wanted);
  if (!starving || exchange.returned.intersects(world_.online)) return conclude(group, exchange, Flaw::none);
  conclude(group, {.returned = had & all}, Flaw::no_cpus_left);
}

// After a change elsewhere.
void ExclusiveCpusets::recheck(Cgroup& group) {
  const Cpuset& cpuset = *group.cpuset;
  const CpuSet& claims = claimed(cpuset);
  if (!is_valid_partition(*group.parent) || claims.empty()) return;
  const Cpuset& above = *group.parent->cpuset;
  if (starves(group, claims)) {
    const CpuSet returned = cpuset.valid ? claims & above.exclusive_effective : CpuSet{};
    return conclude(group, {.returned = returned}, Flaw::no_cpus_left);
  }
  if (cpuset.valid || !above.exclusive_effective.contains(claims)) return conclude(group, {}, Flaw::none);
  const bool alone = std::ranges::none_of(group.parent->children, [&](const auto& sibling) {
    return sibling.get() != &group && sibling->cpuset && claimed(*sibling->cpuset).intersects(claims);
  });
  if (!alone) return conclude(group, {}, Flaw::not_exclusive);
  conclude(group, {.taken = claims & above.effective}, Flaw::none);
}

void ExclusiveCpusets::reset(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  const CpuSet& above = group.parent->cpuset->effective;
  if (cpuset.exclusive_cpus.empty()) {
    cpuset.exclusive_effective = {};
    cpuset.exclusive = false;
  }
  cpuset.effective = above & cpuset.cpus;
  if (cpuset.effective.empty()) cpuset.effective = above;
}

}  // namespace bulkhead::sim
