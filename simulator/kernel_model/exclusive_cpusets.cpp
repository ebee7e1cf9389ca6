// SPDX-License-Identifier: Apache-2.0
// Writes to cpuset.cpus, cpuset.cpus.exclusive and cpuset.cpus.partition.
#include "simulator/kernel_model/exclusive_cpusets.h"

#include <algorithm>
#include <cerrno>

#include "simulator/kernel_model/kernel_text.h"

namespace bulkhead::sim {

void ExclusiveCpusets::start(Cgroup& root) {
  Cpusets::start(root);
  root.cpuset->exclusive_effective = world_.shape.all_cpus();
  root_ = &root;
}

bool ExclusiveCpusets::collides(const Cgroup& group, const Cpuset& wanted) const {
  const bool sets_aside = !wanted.exclusive_cpus.empty();
  return std::ranges::any_of(group.parent->children, [&](const auto& sibling) {
    if (sibling.get() == &group || !sibling->cpuset) return false;
    const Cpuset& other = *sibling->cpuset;
    const bool other_sets_aside = !other.exclusive_cpus.empty();
    if (wanted.exclusive || other.exclusive || (sets_aside && other_sets_aside)) {
      return claimed(wanted).intersects(claimed(other));
    }
    if (!sets_aside && !other_sets_aside) return false;
    // What one sets aside must leave the other some of its CPUs.
    const CpuSet& aside = sets_aside ? wanted.exclusive_cpus : other.exclusive_cpus;
    const CpuSet& cpus = sets_aside ? other.cpus : wanted.cpus;
    return !cpus.empty() && aside.contains(cpus);
  });
}

int ExclusiveCpusets::validate(const Cgroup& group, const Cpuset& wanted) const {
  if (!world_.at_least(Generation::linux_7) && loses_all(group, wanted)) return ENOSPC;
  return collides(group, wanted) ? EINVAL : 0;
}

// A partition's flaw with the wanted CPUs. It is noted even where the write fails for another reason.
bool ExclusiveCpusets::has_flaw(Cgroup& group, const Cpuset& wanted, bool must_have_cpus) {
  Cpuset& cpuset = *group.cpuset;
  if (cpuset.partition == PartitionKind::member) return false;
  const CpuSet& share = wanted.exclusive_effective;
  if (must_have_cpus && share.empty()) {
    cpuset.flaw = Flaw::invalid_cpus;
  } else if (starves(group, share)) {
    cpuset.flaw = Flaw::no_cpus_left;
  } else {
    return false;
  }
  return true;
}

void ExclusiveCpusets::break_siblings(Cgroup& group, const CpuSet& claims) {
  for (const auto& child : group.parent->children) {  // the group itself, too
    if (is_valid_partition(*child) && claims.intersects(child->cpuset->exclusive_effective)) {
      invalidate(*child);
    }
  }
}

void ExclusiveCpusets::adopt(Cgroup& group, const Cpuset& wanted, bool was_valid) {
  Cpuset& cpuset = *group.cpuset;
  cpuset.cpus = wanted.cpus;
  cpuset.exclusive_cpus = wanted.exclusive_cpus;
  cpuset.exclusive_effective = wanted.exclusive_effective;
  if (was_valid && !cpuset.is_partition()) reset(group);
}

int ExclusiveCpusets::apply_cpus(Cgroup& group, const CpuSet& cpus) {
  Cpuset& cpuset = *group.cpuset;
  const bool was_valid = cpuset.is_partition();
  Cpuset wanted = cpuset;
  wanted.cpus = cpus;
  if (cpus.empty()) {
    if (wanted.exclusive_cpus.empty()) wanted.exclusive_effective = {};
  } else if (!wanted.exclusive_cpus.empty() || was_valid) {
    wanted.exclusive_effective = share_of(group, wanted, true).cpus;
  }
  bool breaks = has_flaw(group, wanted, was_valid);
  const bool force = cpuset.exclusive_effective != wanted.exclusive_effective;
  const int error = validate(group, wanted);
  if (error != 0 && error != EINVAL) return error;
  if (error == EINVAL) {
    breaks = true;
    break_siblings(group, claimed(wanted));
  }
  if (cpuset.is_partition() || (cpuset.is_broken_partition() && !breaks)) {
    const bool has_share = cpuset.valid || !wanted.exclusive_effective.empty();
    const CpuSet& share = has_share ? wanted.exclusive_effective : wanted.cpus;
    if (cpuset.remote) {
      change_remote(group, share, nullptr);
    } else if (breaks) {
      invalidate(group);
    } else {
      update_to(group, share);
    }
  }
  adopt(group, wanted, was_valid);
  update_below(group, force);
  return 0;
}

int ExclusiveCpusets::write_exclusive(Cgroup& group, std::string_view text) {
  const ParsedSet wanted = parse_list(strip(text), world_.cpu_bits());
  if (wanted.error != 0) return wanted.error;
  return wanted.set == group.cpuset->exclusive_cpus ? 0 : apply_exclusive(group, wanted.set);
}

int ExclusiveCpusets::apply_exclusive(Cgroup& group, const CpuSet& cpus) {
  Cpuset& cpuset = *group.cpuset;
  const bool was_valid = cpuset.is_partition();
  Cpuset wanted = cpuset;
  wanted.exclusive_cpus = cpus;
  wanted.exclusive_effective = {};
  if (!cpus.empty()) {
    const Share share = share_of(group, wanted, true);
    if (share.contested) return EINVAL;
    wanted.exclusive_effective = share.cpus;
  }
  const bool force = cpuset.exclusive_effective != wanted.exclusive_effective;
  if (const int error = validate(group, wanted)) return error;
  if (cpuset.partition != PartitionKind::member) {
    const bool breaks = has_flaw(group, wanted, true);
    if (cpuset.remote && breaks) {
      disable_remote(group, cpuset.flaw);
    } else if (cpuset.remote) {
      change_remote(group, wanted.exclusive_effective, &wanted.exclusive_cpus);
    } else if (breaks) {
      invalidate(group);
    } else {
      update_to(group, wanted.exclusive_effective);
    }
  }
  adopt(group, wanted, was_valid);
  if (cpuset.is_partition() || force) update_below(group, force);
  return 0;
}

Flaw ExclusiveCpusets::enable_local(Cgroup& group) {
  const Cgroup& parent = *group.parent;
  const CpuSet share = share_of(group, *group.cpuset, false).cpus;
  if (share.empty()) return Flaw::invalid_cpus;
  if (starves(group, share)) return Flaw::no_cpus_left;
  const Exchange exchange{.taken = share & parent.cpuset->exclusive_effective, .valid = true};
  return settle(group, exchange, true) ? Flaw::none : Flaw::not_exclusive;
}

Flaw ExclusiveCpusets::enable(Cgroup& group) {
  const Cpuset& cpuset = *group.cpuset;
  if (!make_exclusive(group, true)) return Flaw::not_exclusive;
  if (cpuset.cpus.empty() && cpuset.exclusive_cpus.empty()) return Flaw::empty;
  if (group.parent == root_ && cpuset.exclusive_cpus.intersects(root_->cpuset->granted)) {
    return Flaw::remote_below;
  }
  return is_valid_partition(*group.parent) ? enable_local(group) : enable_remote(group);
}

void ExclusiveCpusets::change_kind(Cgroup& group, PartitionKind kind) {
  Cpuset& cpuset = *group.cpuset;
  Flaw flaw = Flaw::none;
  if (kind == PartitionKind::member) {
    make_exclusive(group, false);
    cpuset.remote ? disable_remote(group, Flaw::none) : disable(group);
    cpuset.valid = false;
  } else if (cpuset.is_partition()) {
    const CpuSet& cpus = cpuset.exclusive_effective;
    kind == PartitionKind::isolated ? isolated_ |= cpus : isolated_ -= cpus;
  } else {
    cpuset.partition = kind;
    flaw = enable(group);
    cpuset.valid = flaw == Flaw::none;
    if (flaw != Flaw::none) make_exclusive(group, false);
  }
  cpuset.partition = kind;
  cpuset.flaw = flaw;
  if (!cpuset.is_partition()) reset(group);
  update_below(group, kind == PartitionKind::member);
}

}  // namespace bulkhead::sim
