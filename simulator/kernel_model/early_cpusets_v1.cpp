// SPDX-License-Identifier: Apache-2.0
// What differs in cgroup v1: nothing is inherited, a child is always inside its parent, and CPUs that went
// offline are lost for good.
#include <algorithm>
#include <cerrno>

#include "simulator/kernel_model/early_cpusets.h"
#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {

int EarlyCpusets::validate_v1(const Cgroup& group, const Cpuset& wanted) const {
  for (const auto& child : group.children) {
    if (!wanted.cpus.contains(child->cpuset->cpus) || !wanted.mems.contains(child->cpuset->mems))
      return EBUSY;
  }
  const Cpuset& above = *group.parent->cpuset;
  return above.cpus.contains(wanted.cpus) && above.mems.contains(wanted.mems) ? 0 : EACCES;
}

int EarlyCpusets::write_exclusive(Cgroup& group, std::string_view text) {
  const ParsedNumber wanted = parse_number(strip(text), 0, 0, 1);
  if (wanted.error != 0) return EINVAL;
  const bool exclusive = wanted.value == 1;
  if (exclusive && group.parent != nullptr) {
    if (!group.parent->cpuset->exclusive) return EACCES;
    if (collides_with_sibling(group, group.cpuset->cpus, true)) return EINVAL;
  }
  if (!exclusive &&
      std::ranges::any_of(group.children, [](const auto& child) { return child->cpuset->exclusive; })) {
    return EBUSY;
  }
  group.cpuset->exclusive = exclusive;
  return 0;
}

void EarlyCpusets::follow_hotplug_v1(Cgroup& group) {
  Cpuset& cpuset = *group.cpuset;
  if (world_.online.contains(cpuset.cpus)) return;
  cpuset.cpus &= world_.online;
  cpuset.effective = cpuset.cpus;
  if (!cpuset.cpus.empty()) {
    update_tasks(group);
    return;
  }
  Cgroup* refuge = group.parent;
  while (refuge->cpuset->cpus.empty()) refuge = refuge->parent;
  for (auto& [id, task] : world_.tasks) {
    if (task.*membership_ != group.id) continue;
    task.*membership_ = refuge->id;
    attached(task, *refuge);
  }
}

}  // namespace bulkhead::sim
