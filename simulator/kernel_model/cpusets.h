// SPDX-License-Identifier: Apache-2.0
// The cpuset controller: configured and effective sets, and which tasks may run where because of them. Who
// owns which CPUs differs by hierarchy and kernel: EarlyCpusets, ExclusiveCpusets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "simulator/kernel_model/cgroup.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class Cpusets {
 public:
  // `membership`: the member of Task that holds its cgroup's id in this hierarchy.
  Cpusets(World& world, bool v1, unsigned Task::*membership)
      : world_(world), v1_(v1), membership_(membership) {}
  Cpusets(const Cpusets&) = delete;
  Cpusets& operator=(const Cpusets&) = delete;
  virtual ~Cpusets() = default;

  virtual void start(Cgroup& root);
  void create(Cgroup& group);
  void destroy(Cgroup& group);

  int write_cpus(Cgroup& group, std::string_view text);
  int write_mems(Cgroup& group, std::string_view text);
  int write_partition(Cgroup& group, std::string_view text);
  std::string print_partition(const Cgroup& group) const;
  // What a group has for itself: in v1 a flag, in v2 since 6.7 a list of CPUs.
  virtual int write_exclusive(Cgroup& group, std::string_view text) = 0;
  const CpuSet& isolated() const { return isolated_; }  // by partitions of that kind

  int may_attach(const Task& task, Cgroup& group) const;
  void attached(Task& task, Cgroup& group) const;
  virtual void cpus_changed(Cgroup& root) = 0;  // some went offline or came online

  bool populated(const Cgroup& group) const;  // it or one below has a living task
  bool has_tasks(const Cgroup& group) const;

 protected:
  virtual int apply_cpus(Cgroup& group, const CpuSet& wanted) = 0;
  virtual int validate(const Cgroup& group, const Cpuset& wanted) const = 0;
  virtual void change_kind(Cgroup& group, PartitionKind kind) = 0;  // to another one
  virtual void dissolve(Cgroup& group) = 0;                         // a valid partition whose cpuset ends
  bool loses_all(const Cgroup& group, const Cpuset& wanted) const;  // its tasks would have none
  void update_tasks(Cgroup& group) const;
  static bool is_valid_partition(const Cgroup& group) { return group.cpuset && group.cpuset->is_partition(); }

  World& world_;
  bool v1_;
  unsigned Task::*membership_;
  CpuSet isolated_;

 private:
  void update_mems(Cgroup& group);
};

std::unique_ptr<Cpusets> make_cpusets(World& world, bool v1, unsigned Task::*membership);

}  // namespace bulkhead::sim
