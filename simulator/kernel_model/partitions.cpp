// SPDX-License-Identifier: Apache-2.0
// cpuset.cpus.partition, and who owns which CPUs because of it. A write succeeds even where the partition
// turns out to be invalid, and an invalid one becomes valid when its flaw goes away.
#include <algorithm>
#include <array>
#include <cerrno>

#include "simulator/kernel_model/cpusets.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
namespace {

struct Word {
  std::string_view text;
  PartitionKind kind;
};
constexpr std::array kWords{Word{"member", PartitionKind::member}, Word{"root", PartitionKind::root},
                            Word{"isolated", PartitionKind::isolated}};

std::string reason(Flaw flaw, Generation generation) {
  const bool newer = generation >= Generation::linux_6_12;
  switch (flaw) {
    case Flaw::none:
      return "";
    case Flaw::invalid_cpus:
      return newer ? "Invalid cpu list in cpuset.cpus.exclusive" : "Invalid cpu list in cpuset.cpus";
    case Flaw::invalid_parent:
      return "Parent is an invalid partition root";
    case Flaw::parent_is_none:
      return "Parent is not a partition root";
    case Flaw::not_exclusive:
      return "Cpu list in cpuset.cpus not exclusive";
    case Flaw::no_cpus_left:
      return "Parent unable to distribute cpu downstream";
    case Flaw::hotplug:
      return "No cpu available due to hotplug";
    case Flaw::empty:
      return newer ? "cpuset.cpus and cpuset.cpus.exclusive are empty" : "cpuset.cpus is empty";
  }
  return "";
}

}  // namespace

std::string Cpusets::print_partition(const Cgroup& group) const {
  const Cpuset& cpuset = *group.cpuset;
  const auto word = std::ranges::find(kWords, cpuset.partition, &Word::kind);
  std::string text(word->text);
  if (cpuset.is_broken_partition()) {
    text += " invalid";
    const std::string why = reason(cpuset.flaw, world_.shape.generation);
    if (!why.empty()) text += " (" + why + ")";
  }
  return text + '\n';
}

int Cpusets::write_partition(Cgroup& group, std::string_view text) {
  const auto word = std::ranges::find(kWords, strip(text), &Word::text);
  if (word == kWords.end()) return EINVAL;
  Cpuset& cpuset = *group.cpuset;
  if (cpuset.partition == word->kind) return 0;
  if (word->kind == PartitionKind::member) {
    turn_off(group);
  } else if (cpuset.partition == PartitionKind::member) {
    turn_on(group, word->kind);
  } else {
    cpuset.partition = word->kind;  // an invalid one stays so, with its old reason
    return 0;
  }
  update_tasks(*group.parent);
  update_siblings(group);
  if (!group.children.empty()) update_below(group, word->kind == PartitionKind::member);
  update_tasks(group);
  return 0;
}

void Cpusets::turn_on(Cgroup& group, PartitionKind kind) {
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

void Cpusets::turn_off(Cgroup& group) {
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

void Cpusets::exchange(Cgroup& group, const CpuSet& more, const CpuSet& less) {
  Cpuset& above = *group.parent->cpuset;
  above.granted |= more;
  above.effective -= more;
  above.granted -= less;
  above.effective |= less & world_.online;
}

// Whether tasks directly in `parent`, or in members below it, need CPUs of it.
bool Cpusets::leaves_tasks_without(const Cgroup& parent, const Cgroup* claimant) const {
  if (has_tasks(parent)) return true;
  if (claimant == nullptr && parent.cpuset->granted.empty()) return populated(parent);
  return std::ranges::any_of(parent.children, [&](const auto& child) {
    if (child.get() == claimant || (child->cpuset && child->cpuset->is_partition())) return false;
    return populated(*child);
  });
}

Flaw Cpusets::claim(Cgroup& group) {
  const Cpuset& above = *group.parent->cpuset;
  const CpuSet& cpus = group.cpuset->cpus;
  if (!above.is_partition()) return above.is_broken_partition() ? Flaw::invalid_parent : Flaw::parent_is_none;
  if (!cpus.intersects(above.cpus)) return Flaw::invalid_cpus;
  if (cpus.contains(above.effective) && leaves_tasks_without(*group.parent, &group))
    return Flaw::no_cpus_left;
  exchange(group, cpus, {});
  return Flaw::none;
}

void Cpusets::release(Cgroup& group) {
  exchange(group, {}, group.cpuset->cpus & group.parent->cpuset->granted);
}

void Cpusets::invalidate(Cgroup& group) {
  release(group);
  group.cpuset->valid = group.cpuset->exclusive = false;
  // Newer kernels do not say why a partition broke that had been valid.
  group.cpuset->flaw = world_.at_least(Generation::linux_6_12) ? Flaw::none : Flaw::not_exclusive;
  update_below(group, true);
}

// A partition asks again for its CPUs, `wanted` ones or (after a change elsewhere) those that it has.
void Cpusets::reclaim(Cgroup& group, const CpuSet* wanted) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  const CpuSet& cpus = wanted != nullptr ? *wanted : cpuset.cpus;
  if (!above.is_partition()) return;
  if (cpus.empty()) {
    // 6.1 leaves a partition of no CPUs valid.
    if (!world_.at_least(Generation::linux_6_12) || !cpuset.valid) return;
    release(group);
    cpuset.valid = cpuset.exclusive = false;
    cpuset.flaw = Flaw::invalid_cpus;
    return;
  }
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

void Cpusets::follow_hotplug(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  CpuSet effective = effective_of(group) - cpuset.granted;
  if (cpuset.partition != PartitionKind::member) set_state_after_hotplug(group, effective);
  if (effective.empty()) effective = group.parent->cpuset->effective;
  cpuset.effective = effective;
  update_tasks(group);
}

void Cpusets::set_state_after_hotplug(Cgroup& group, CpuSet& effective) {
  Cpuset& cpuset = *group.cpuset;
  const Cpuset& above = *group.parent->cpuset;
  if (!cpuset.granted.empty() && cpuset.valid && effective.empty() && leaves_tasks_without(group, nullptr)) {
    cpuset.granted = {};
    effective = effective_of(group);
  }
  const Flaw hotplug = world_.at_least(Generation::linux_6_12) ? Flaw::none : Flaw::hotplug;
  const bool starved = effective.empty() && leaves_tasks_without(group, nullptr);
  if (cpuset.valid && (above.granted.empty() || starved)) {
    release(group);
    cpuset.granted = {};
    effective = effective_of(group);
    cpuset.valid = cpuset.exclusive = false;
    cpuset.flaw = above.is_broken_partition() ? Flaw::invalid_parent
                  : above.is_partition()      ? hotplug
                                              : Flaw::parent_is_none;
  } else if (cpuset.is_broken_partition() && above.is_partition()) {
    reclaim(group, nullptr);
  }
}

}  // namespace bulkhead::sim
