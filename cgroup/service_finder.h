// SPDX-License-Identifier: Apache-2.0
// Which threads and cgroups a selector means, now.
#pragma once

#include <string>
#include <vector>

#include "cgroup/hierarchy.h"
#include "controller/kernel/file_system.h"
#include "policies/policy.h"

namespace bulkhead {

struct FoundService {
  std::vector<std::string> cgroups;  // the cgroups selected (unit, cgroup), or those that the processes are in
  std::vector<unsigned> processes;   // sorted
  std::vector<unsigned> threads;     // of all processes; of cgroups the whole subtree; sorted
  bool found = false;                // something matches, be it an empty cgroup
};

// Finds services on a host. Everything is read afresh at each call; what vanishes while it is read is passed
// over. `pids` of a process that is gone count as not found.
class ServiceFinder {
 public:
  // `units` may be null where systemd does not run.
  ServiceFinder(FileSystem& files, const Hierarchy& hierarchy, UnitManager* units);
  ~ServiceFinder();

  FoundService find(const Select& select);

  // Threads that may run on any CPU of a cgroup subtree's processes, user processes only: id, name, allowed CPUs.
  struct Thread {
    unsigned id = 0;
    unsigned process = 0;
    std::string name;         // comm
    std::string allowed_cpus;  // Cpus_allowed_list
    bool kernel = false;      // a kernel thread
  };
  std::vector<Thread> all_threads();

  // Whether a process is a thread of the kernel's; one that is gone is taken for one.
  bool is_kernel_thread(unsigned process);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bulkhead
