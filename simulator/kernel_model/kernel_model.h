// SPDX-License-Identifier: Apache-2.0
// The modelled kernel: its files by absolute path, each operation answering 0 or an errno as Linux would, and
// the world around it: processes come and go, CPUs are unplugged. No I/O, no clock.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/kernel_model/cgroup_tree.h"
#include "simulator/kernel_model/file_answers.h"
#include "simulator/kernel_model/proc_files.h"
#include "simulator/kernel_model/resctrl.h"
#include "simulator/kernel_model/shape.h"
#include "simulator/kernel_model/sysfs_files.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class KernelModel {
 public:
  explicit KernelModel(KernelShape shape);

  // Files
  Handle open(const std::string& path, OpenFor access);
  Handle open_directory(const std::string& path);
  bool is_gone(const Handle& handle) const;  // what was opened does not exist any more
  Answer read(const Handle& handle);
  int write(const Handle& handle, std::string_view text);
  Answer read(const std::string& path);  // open, act, close
  int write(const std::string& path, std::string_view text);
  Listing list(const std::string& path);
  NodeKind kind(const std::string& path);  // links followed
  Facts facts(const std::string& path);
  Answer read_link(const std::string& path);
  int make_directory(const std::string& path);
  int remove_directory(const std::string& path);
  int rename(const std::string& from, const std::string& to);
  int create_file(const std::string& path);
  int remove_file(const std::string& path);
  int mount(const std::string& type, const std::string& target, const std::string& options);
  int unmount(const std::string& target);

  // The world outside. Ids must be of living tasks, cgroups must exist.
  unsigned spawn(const NewProcess& process);  // a child of PID 1, whose resctrl group it gets
  unsigned spawn_thread(unsigned of);         // inherits the creator's groups and affinity
  unsigned fork(unsigned parent);
  // A task that lives outside of the model under an id of its own, a process or (with another `process`) a
  // thread. It begins where its process or its parent is; where that is unknown, where PID 1 is.
  void adopt(unsigned id, unsigned process, unsigned parent, const NewProcess& what);
  void place_like(unsigned id, const Task& other);  // its groups and affinity; `other` may have ended
  unsigned spawn_kernel_thread(const std::string& name, bool pinned, const CpuSet& allowed);
  void become_kernel_thread(unsigned process);  // one that stays on its CPUs
  void become_zombie(unsigned process);         // all its threads end, nobody waits for it yet
  void end(unsigned id);                        // a thread ends, or a process with all its threads
  int set_affinity(unsigned thread, const CpuSet& cpus);
  void take_offline(unsigned cpu);
  void bring_online(unsigned cpu);
  void pass_second() { resctrl_.second_passed(); }  // the kernel's own periodic work
  void set_writer(unsigned process) { world_.writer = process; }
  void set_user(unsigned process, unsigned user);  // as whom it calls from now on
  void add_status(const std::string& message) { resctrl_.add_status(message); }  // to last_cmd_status
  void set_counter(const std::string& group, unsigned domain, const std::string& event, std::uint64_t units);
  void fail_counter(const std::string& group, unsigned domain, const std::string& event, CounterState state);

  // What decides about tasks, for a model of the hardware. Groups: each control group before its monitoring
  // groups, the default one first; none while resctrl is not mounted.
  std::vector<const Group*> resctrl_groups() const { return resctrl_.all_groups(); }
  CpuSet memory_nodes_of(const Task& task) const;  // that its cgroup leaves it
  void set_counter(unsigned rmid, unsigned domain, const std::string& event, std::uint64_t units) {
    resctrl_.counters().set({domain, rmid, event}, units);
  }
  void fail_counter(unsigned rmid, unsigned domain, const std::string& event, CounterState state) {
    resctrl_.counters().fail({domain, rmid, event}, state);
  }

  const World& world() const { return world_; }
  unsigned self() const { return world_.writer; }

 private:
  Node root_directory();
  Node system_directory();
  Node filesystems_directory();
  Node cgroup_directory();
  Node find(const std::string& path, int& error, bool follow_last = true);
  bool writer_is_root() const;
  Task& add_task(const std::string& name, unsigned process, unsigned parent);
  void copy_placement(Task& task, const Task& from);
  const CgroupTree* cpuset_tree() const;
  void cpus_changed(unsigned cpu, bool online);

  World world_;
  Resctrl resctrl_;
  std::unique_ptr<CgroupTree> v2_;
  std::unique_ptr<CgroupTree> v1_;
  ProcFiles proc_;
  SysfsFiles sysfs_;
};

}  // namespace bulkhead::sim
