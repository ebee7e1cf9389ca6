// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/cpusets.h"

#include <algorithm>
#include <cerrno>

#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
namespace {

constexpr unsigned kMostNodes = 1024;

}  // namespace

std::string Cgroup::path() const {
  if (parent == nullptr) return "/";
  const std::string above = parent->path();
  return (above == "/" ? "" : above) + "/" + name;
}

Cgroup& Cgroup::cpuset_owner() {
  Cgroup* group = this;
  while (!group->cpuset) group = group->parent;
  return *group;
}

Cpusets::Cpusets(World& world, bool v1, unsigned Task::*membership)
    : world_(world), v1_(v1), membership_(membership) {}

void Cpusets::start(Cgroup& root) {
  root.cpuset.emplace();
  root.cpuset->cpus = world_.shape.all_cpus();
  root.cpuset->effective = world_.online;
  root.cpuset->mems = root.cpuset->effective_mems = world_.shape.all_nodes();
  root.cpuset->partition = PartitionKind::root;
  root.cpuset->valid = true;
}

void Cpusets::create(Cgroup& group) {
  group.cpuset.emplace();
  if (v1_) return;
  const Cpuset& above = *group.parent->cpuset;
  group.cpuset->effective = above.effective;
  group.cpuset->effective_mems = above.effective_mems;
}

void Cpusets::destroy(Cgroup& group) {
  if (!group.cpuset) return;
  if (group.cpuset->is_partition()) {
    turn_off(group);
    update_siblings(group);
  }
  group.cpuset.reset();
  update_tasks(group.cpuset_owner());
}

bool Cpusets::has_tasks(const Cgroup& group) const {
  return std::ranges::any_of(world_.tasks, [&](const auto& entry) {
    return entry.second.*membership_ == group.id && !entry.second.zombie;
  });
}

bool Cpusets::populated(const Cgroup& group) const {
  return has_tasks(group) ||
         std::ranges::any_of(group.children, [&](const auto& child) { return populated(*child); });
}

bool Cpusets::collides_with_sibling(const Cgroup& group, const CpuSet& cpus, bool exclusive) const {
  return std::ranges::any_of(group.parent->children, [&](const auto& sibling) {
    return sibling.get() != &group && sibling->cpuset && (exclusive || sibling->cpuset->exclusive) &&
           sibling->cpuset->cpus.intersects(cpus);
  });
}

int Cpusets::validate(const Cgroup& group, const CpuSet& cpus, const CpuSet& mems) const {
  const Cpuset& now = *group.cpuset;
  if (v1_) {
    if (const int error = validate_v1(group, cpus, mems)) return error;
  }
  if (collides_with_sibling(group, cpus, now.exclusive)) return EINVAL;
  const bool keeps_tasks = v1_ || !world_.at_least(Generation::linux_7);
  const bool loses_all = (!now.cpus.empty() && cpus.empty()) || (!now.mems.empty() && mems.empty());
  return keeps_tasks && loses_all && populated(group) ? ENOSPC : 0;
}

int Cpusets::write_cpus(Cgroup& group, std::string_view text) {
  const ParsedSet wanted = parse_list(strip(text), world_.cpu_bits());
  if (wanted.error != 0) return wanted.error;
  if (!world_.shape.all_cpus().contains(wanted.set)) return EINVAL;
  return wanted.set == group.cpuset->cpus ? 0 : apply_cpus(group, wanted.set);
}

int Cpusets::apply_cpus(Cgroup& group, const CpuSet& wanted) {
  Cpuset& cpuset = *group.cpuset;
  const CpuSet above_before = group.parent->cpuset->effective;
  const int error = validate(group, wanted, cpuset.mems);
  const bool takes_from_partition = error == EINVAL && !v1_;
  if (error != 0 && !takes_from_partition) return error;
  if (takes_from_partition) {
    for (const auto& sibling : group.parent->children) {
      if (sibling.get() != &group && sibling->cpuset && sibling->cpuset->is_partition() &&
          sibling->cpuset->cpus.intersects(wanted)) {
        invalidate(*sibling);
      }
    }
  }
  if (cpuset.partition != PartitionKind::member) {
    if (takes_from_partition) {
      if (cpuset.valid) invalidate(group);
    } else {
      reclaim(group, &wanted);
    }
  }
  cpuset.cpus = wanted;
  if (!cpuset.granted.empty()) {
    const bool starves = cpuset.granted.contains(effective_of(group)) && leaves_tasks_without(group, nullptr);
    if (!cpuset.valid || starves) cpuset.granted = {};
    cpuset.granted &= wanted;
  }
  update_below(group, false);
  if (group.parent->cpuset->effective != above_before) {
    update_tasks(*group.parent);
    update_siblings(group);
  }
  return 0;
}

CpuSet Cpusets::effective_of(const Cgroup& group) const {
  const Cpuset& above = *group.parent->cpuset;
  if (above.granted.empty()) return group.cpuset->cpus & above.effective;
  return (above.effective | above.granted) & group.cpuset->cpus & world_.online;
}

void Cpusets::update_below(Cgroup& from, bool force) {
  const std::function<void(Cgroup&)> visit = [&](Cgroup& group) {
    Cpuset& cpuset = *group.cpuset;
    CpuSet effective = effective_of(group);
    const bool gave_all = cpuset.is_partition() && cpuset.cpus == cpuset.granted;
    if (effective.empty() && !v1_ && !gave_all) effective = group.parent->cpuset->effective;
    if (cpuset.partition == PartitionKind::member && !force && effective == cpuset.effective) return;
    update_one(group, from, effective);
    for (const auto& child : group.children) {
      if (child->cpuset) visit(*child);
    }
  };
  visit(from);
}

void Cpusets::update_one(Cgroup& group, const Cgroup& from, const CpuSet& effective) {
  Cpuset& cpuset = *group.cpuset;
  if (&group != &from && cpuset.partition != PartitionKind::member) {
    const Cpuset& above = *group.parent->cpuset;
    if (above.is_partition()) {
      reclaim(group, nullptr);
    } else {
      cpuset.valid = false;
      cpuset.flaw = above.is_broken_partition() ? Flaw::invalid_parent : Flaw::parent_is_none;
    }
  }
  cpuset.effective = effective;
  if (!cpuset.valid) cpuset.granted = {};
  if (!cpuset.granted.empty()) {
    cpuset.effective -= cpuset.granted;
    // None left: the partitions below compete for them anew.
    if (cpuset.effective.empty()) {
      cpuset.effective = effective;
      cpuset.granted = {};
    }
  }
  update_tasks(group);
}

void Cpusets::update_siblings(Cgroup& group) {
  for (const auto& sibling : group.parent->children) {
    if (sibling.get() != &group && sibling->cpuset) update_below(*sibling, false);
  }
}

int Cpusets::write_mems(Cgroup& group, std::string_view text) {
  const ParsedSet wanted = parse_list(strip(text), kMostNodes);
  if (wanted.error != 0) return wanted.error;
  if (!world_.shape.all_nodes().contains(wanted.set)) return EINVAL;
  if (wanted.set == group.cpuset->mems) return 0;
  if (const int error = validate(group, group.cpuset->cpus, wanted.set); error != 0 && error != EINVAL)
    return error;
  group.cpuset->mems = wanted.set;
  update_mems(group);
  return 0;
}

void Cpusets::update_mems(Cgroup& group) {
  CpuSet effective = group.cpuset->mems & group.parent->cpuset->effective_mems;
  if (effective.empty() && !v1_) effective = group.parent->cpuset->effective_mems;
  group.cpuset->effective_mems = effective;
  for (const auto& child : group.children) {
    if (child->cpuset) update_mems(*child);
  }
}

int Cpusets::may_attach(const Task& task, Cgroup& group) const {
  const Cpuset& cpuset = *group.cpuset_owner().cpuset;
  if (v1_ && (cpuset.cpus.empty() || cpuset.mems.empty())) return ENOSPC;
  if (cpuset.effective.empty()) return ENOSPC;
  return task.pinned ? EINVAL : 0;
}

void Cpusets::attached(Task& task, Cgroup& group) const {
  const Cpuset& cpuset = *group.cpuset_owner().cpuset;
  // 6.1 forgets what sched_setaffinity(2) asked for; later kernels keep to it where it fits.
  const bool keeps = world_.at_least(Generation::linux_6_12) && task.requested.intersects(cpuset.effective);
  task.allowed = keeps ? task.requested & cpuset.effective : cpuset.effective;
}

void Cpusets::update_tasks(Cgroup& group) const {
  const std::function<void(Cgroup&)> visit = [&](Cgroup& member) {
    for (auto& [id, task] : world_.tasks) {
      if (task.*membership_ == member.id && !task.pinned) attached(task, member);
    }
    for (const auto& child : member.children) {
      if (!child->cpuset) visit(*child);
    }
  };
  visit(group);
}

void Cpusets::cpus_changed(Cgroup& root) {
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
