// SPDX-License-Identifier: Apache-2.0
// cpus and cpus_list: a write replaces the whole set, and takes CPUs from whoever had them.
#include <cerrno>

#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

int Resctrl::write_cpus(Group& group, std::string_view text, bool list) {
  command_starts();
  const ParsedSet wanted = list ? parse_list(text, world_.cpu_bits()) : parse_mask(text, world_.cpu_bits());
  if (wanted.error != 0) return fail(wanted.error, "Bad CPU list/mask");
  if (!world_.online.contains(wanted.set)) return fail(EINVAL, "Can only assign online CPUs");
  return group.is_control() ? write_control_cpus(group, wanted.set)
                            : write_monitoring_cpus(group, wanted.set);
}

int Resctrl::write_control_cpus(Group& group, const CpuSet& wanted) {
  const CpuSet dropped = group.cpus - wanted;
  if (!dropped.empty()) {
    if (&group == root_.get()) return fail(EINVAL, "Can't drop CPUs from default group");
    root_->cpus |= dropped;
  }
  const CpuSet added = wanted - group.cpus;
  for_each_other(group, [&](Group& other) {
    if (!other.cpus.intersects(added)) return;
    other.cpus -= added;
    for (const auto& child : other.monitoring) child->cpus &= other.cpus;
  });
  group.cpus = wanted;
  // The kernel gives all CPUs of the monitoring groups below back, not only those that were dropped.
  for (const auto& child : group.monitoring) child->cpus = {};
  return 0;
}

int Resctrl::write_monitoring_cpus(Group& group, const CpuSet& wanted) {
  if (!group.parent->cpus.contains(wanted)) {
    return fail(EINVAL, "Can only add CPUs to mongroup that belong to parent");
  }
  for (const auto& sibling : group.parent->monitoring) {
    if (sibling.get() != &group) sibling->cpus -= wanted;
  }
  group.cpus = wanted;
  return 0;
}

}  // namespace bulkhead::sim
