// SPDX-License-Identifier: Apache-2.0
// What the parts of the modelled kernel share: the shape, which CPUs run, and the tasks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

struct Task {
  unsigned id = 0;       // of the thread
  unsigned process = 0;  // id of the first thread
  unsigned parent = 0;
  std::string name;        // comm
  std::string executable;  // empty for kernel threads
  bool kernel = false;
  bool pinned = false;  // the kernel forbids moving it: PF_NO_SETAFFINITY
  bool zombie = false;
  unsigned user = 0;
  unsigned closid = 0;
  unsigned rmid = 0;
  unsigned cgroup = 0;  // ids in the two hierarchies
  unsigned cgroup_v1 = 0;
  CpuSet allowed;
  CpuSet requested;  // by sched_setaffinity; empty for none
};

struct World {
  explicit World(KernelShape of) : shape(std::move(of)), online(shape.all_cpus()) {}

  const KernelShape shape;
  CpuSet online;
  std::map<unsigned, Task> tasks;
  unsigned next_task = 1;
  unsigned writer = 0;  // the process that makes the calls; "self"
  std::uint64_t next_identity = 1;

  // Bits of a CPU mask, which is one more than the last CPU that can exist.
  unsigned cpu_bits() const { return shape.cpus.empty() ? 1 : shape.cpus.back().cpu + 1; }
  bool at_least(Generation generation) const { return shape.generation >= generation; }

  unsigned calling_user() const;
  Task* find_task(std::int64_t id);  // nothing if it is gone
  std::vector<Task*> threads_of(unsigned process);
  std::vector<Task*> by_process();  // all, the threads of a process together
};

}  // namespace bulkhead::sim
