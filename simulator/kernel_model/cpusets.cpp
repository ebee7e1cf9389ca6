// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/cpusets.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>

#include "simulator/kernel_model/early_cpusets.h"
#include "simulator/kernel_model/exclusive_cpusets.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {
namespace {

constexpr unsigned kMostNodes = 1024;

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
    case Flaw::remote_below:
      return "Have remote partition underneath";
  }
  return "";
}

}  // namespace

std::unique_ptr<Cpusets> make_cpusets(World& world, bool v1, unsigned Task::*membership) {
  if (!v1 && world.at_least(Generation::linux_6_12)) {
    return std::make_unique<ExclusiveCpusets>(world, v1, membership);
  }
  return std::make_unique<EarlyCpusets>(world, v1, membership);
}

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
  group.cpuset->inherits = true;
  group.cpuset->effective_mems = above.effective_mems;
}

void Cpusets::destroy(Cgroup& group) {
  if (!group.cpuset) return;
  if (group.cpuset->is_partition()) dissolve(group);
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

bool Cpusets::loses_all(const Cgroup& group, const Cpuset& wanted) const {
  const Cpuset& now = *group.cpuset;
  const bool loses = (!now.cpus.empty() && wanted.cpus.empty()) || (!now.mems.empty() && wanted.mems.empty());
  return loses && populated(group);
}

int Cpusets::write_cpus(Cgroup& group, std::string_view text) {
  const ParsedSet wanted = parse_list(strip(text), world_.cpu_bits());
  if (wanted.error != 0) return wanted.error;
  if (!world_.shape.all_cpus().contains(wanted.set)) return EINVAL;
  return wanted.set == group.cpuset->cpus ? 0 : apply_cpus(group, wanted.set);
}

int Cpusets::write_mems(Cgroup& group, std::string_view text) {
  const ParsedSet wanted = parse_list(strip(text), kMostNodes);
  if (wanted.error != 0) return wanted.error;
  if (!world_.shape.all_nodes().contains(wanted.set)) return EINVAL;
  if (wanted.set == group.cpuset->mems) return 0;
  Cpuset changed = *group.cpuset;
  changed.mems = wanted.set;
  if (const int error = validate(group, changed)) return error;
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
  const Cpuset& cpuset = *group.cpuset;
  if (cpuset.partition != word->kind || cpuset.is_broken_partition()) change_kind(group, word->kind);
  return 0;
}

}  // namespace bulkhead::sim
