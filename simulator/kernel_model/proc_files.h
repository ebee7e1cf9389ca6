// SPDX-License-Identifier: Apache-2.0
// /proc: tasks, mounts, filesystems and processors.
#pragma once

#include <string>

#include "simulator/kernel_model/cgroup_tree.h"
#include "simulator/kernel_model/node.h"
#include "simulator/kernel_model/resctrl.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class ProcFiles {
 public:
  // `v2` and `v1` are nothing where the hierarchy is not mounted.
  ProcFiles(World& world, const Resctrl& resctrl, const CgroupTree* v2, const CgroupTree* v1);

  Node root_directory();

 private:
  Node task_directory(const Task& task, bool thread) const;
  Node threads_directory(const Task& task) const;
  Node task_file(const Task& task, std::string (ProcFiles::*print)(const Task&) const) const;
  std::string name(const Task& task) const { return task.name + '\n'; }
  std::string command_line(const Task& task) const;
  CpuSet nodes_of(const Task& task) const;
  std::string status(const Task& task) const;
  std::string stat(const Task& task) const;
  std::string cgroups(const Task& task) const;
  std::string resctrl_groups(const Task& task) const { return resctrl_.groups_of(task); }
  std::string mounts(const Task& task) const;
  std::string mount_information(const Task& task) const;
  std::string filesystems() const;

  World& world_;
  const Resctrl& resctrl_;
  const CgroupTree* v2_;
  const CgroupTree* v1_;
};

}  // namespace bulkhead::sim
