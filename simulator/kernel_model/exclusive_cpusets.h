// SPDX-License-Identifier: Apache-2.0
// Cpusets of v2 since Linux 6.7: CPUs can be set aside for partitions in cpuset.cpus.exclusive, and so handed
// down to one whose parent is none: a remote partition. Of CPUs that two claim, a new partition gets the
// others.
#pragma once

#include <string_view>

#include "simulator/kernel_model/cpusets.h"

namespace bulkhead::sim {

class ExclusiveCpusets : public Cpusets {
 public:
  using Cpusets::Cpusets;

  void start(Cgroup& root) override;
  int write_exclusive(Cgroup& group, std::string_view text) override;
  void cpus_changed(Cgroup& root) override;

 protected:
  int apply_cpus(Cgroup& group, const CpuSet& wanted) override;
  int validate(const Cgroup& group, const Cpuset& wanted) const override;
  void change_kind(Cgroup& group, PartitionKind kind) override;
  void dissolve(Cgroup& group) override { change_kind(group, PartitionKind::member); }

 private:
  // What of the claimed CPUs is left by the siblings' claims.
  struct Share {
    CpuSet cpus;
    bool contested = false;
  };
  // What a partition's change means for its parent's CPUs.
  struct Exchange {
    CpuSet returned;
    CpuSet taken;
    bool valid = false;
  };

  // exclusive_cpusets.cpp
  bool collides(const Cgroup& group, const Cpuset& wanted) const;
  bool has_flaw(Cgroup& group, const Cpuset& wanted, bool must_have_cpus);
  void break_siblings(Cgroup& group, const CpuSet& claims);
  void adopt(Cgroup& group, const Cpuset& wanted, bool was_valid);
  int apply_exclusive(Cgroup& group, const CpuSet& wanted);
  Flaw enable(Cgroup& group);
  Flaw enable_local(Cgroup& group);

  // exclusive_partitions.cpp
  Share share_of(const Cgroup& group, const Cpuset& claimant, bool tentative) const;
  bool needs_cpus(const Cgroup& group, const Cgroup* claimant) const;
  bool starves(const Cgroup& group, const CpuSet& cpus) const;
  void take(Cgroup& from, PartitionKind kind, const CpuSet& cpus);
  void give_back(Cgroup& to, PartitionKind kind, const CpuSet& cpus);
  bool make_exclusive(Cgroup& group, bool exclusive);
  bool settle(Cgroup& group, const Exchange& exchange, bool must_be_exclusive);
  void disable(Cgroup& group);
  void invalidate(Cgroup& group);
  void update_to(Cgroup& group, const CpuSet& wanted);
  void recheck(Cgroup& group);
  void conclude(Cgroup& group, Exchange exchange, Flaw flaw);
  void reset(Cgroup& group);

  // exclusive_updates.cpp
  CpuSet divide(Cgroup& group);
  void update_below(Cgroup& from, bool force);
  bool update_one(Cgroup& group, const Cgroup& from, bool force);
  void take_over(Cgroup& group, const Cgroup& from, const CpuSet& effective);
  void update_siblings(Cgroup& parent, const Cgroup* except);

  // remote_partitions.cpp
  Flaw enable_remote(Cgroup& group);
  void disable_remote(Cgroup& group, Flaw flaw);
  void change_remote(Cgroup& group, const CpuSet& share, const CpuSet* exclusive_cpus);
  void root_changed();

  // exclusive_hotplug.cpp
  void follow_hotplug(Cgroup& group);
  void follow_hotplug_as_partition(Cgroup& group, CpuSet& effective);

  Cgroup* root_ = nullptr;
};

// The CPUs that a partition of this cpuset would have for itself.
inline const CpuSet& claimed(const Cpuset& cpuset) {
  return cpuset.exclusive_cpus.empty() ? cpuset.cpus : cpuset.exclusive_cpus;
}

}  // namespace bulkhead::sim
