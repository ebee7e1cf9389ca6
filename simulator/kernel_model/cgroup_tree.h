// SPDX-License-Identifier: Apache-2.0
// A cgroup hierarchy: its groups, their files, and which tasks may go where.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/kernel_model/cgroup.h"
#include "simulator/kernel_model/cpusets.h"
#include "simulator/kernel_model/node.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class CgroupTree {
 public:
  // v2 with `controllers`, or v1's cpuset hierarchy.
  CgroupTree(World& world, bool v1, std::vector<std::string> controllers);

  Node root_directory() { return group_directory(*root_); }
  std::string path_of(const Task& task) const;  // as in /proc/PID/cgroup
  CpuSet mems_of(const Task& task) const;       // memory nodes, if this hierarchy has cpuset
  Cgroup* find(const std::string& path) const;
  int rename(const std::vector<std::string>& from, const std::vector<std::string>& to);  // v1; below the root
  void place_new(Task& task, Cgroup& group) const;
  void inherit(Task& task, const Task& from) const;
  int set_affinity(Task& task, const CpuSet& wanted) const;
  void cpus_changed();

 private:
  struct Change;

  Node group_directory(Cgroup& group);
  Entries v2_files(Cgroup& group);
  Entries v2_cpuset_files(Cgroup& group);
  void add_exclusive_files(Cgroup& group, Entries& files);  // since 6.7
  Entries v1_files(Cgroup& group);
  Node group_file(const Cgroup& group, std::function<Answer()> read,
                  std::function<int(std::string_view)> write = nullptr) const;
  Node set_file(const Cgroup& group, const CpuSet& set,
                std::function<int(std::string_view)> write = nullptr) const;

  int make_group(Cgroup& parent, const std::string& name);
  int remove_group(Cgroup& group);

  // cgroup_tasks.cpp
  Answer print_tasks(const Cgroup& group, bool processes) const;
  int write_tasks(Cgroup& group, std::string_view text, bool whole_process);
  int may_migrate(const Task& task, const Cgroup& group, bool whole_process) const;
  int move(const std::vector<Task*>& tasks, Cgroup& group);
  Cgroup* group_of(const Task& task) const;

  // cgroup_types.cpp
  std::string type_of(const Cgroup& group) const;
  int write_type(Cgroup& group, std::string_view text);
  int write_subtree_control(Cgroup& group, std::string_view text);
  int may_change_controllers(const Cgroup& group, const Change& change) const;
  bool is_thread_root(const Cgroup& group) const;
  bool can_be_thread_root(const Cgroup& group) const;
  bool is_valid_domain(const Cgroup& group) const;
  const Cgroup& domain_of(const Cgroup& group) const;  // a threaded group's thread root, else itself
  std::vector<std::string> available(const Cgroup& group) const;

  World& world_;
  bool v1_;
  std::vector<std::string> controllers_;
  unsigned Task::*membership_;
  std::unique_ptr<Cpusets> cpusets_;
  unsigned next_id_ = 1;
  std::unique_ptr<Cgroup> root_;
};

}  // namespace bulkhead::sim
