// SPDX-License-Identifier: Apache-2.0
// Which threads and cgroups a selector means, now.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/hierarchy.h"
#include "cgroup/units.h"
#include "controller/kernel/file_system.h"
#include "policies/policy.h"

namespace bulkhead {

struct FoundService {
  // The cgroups selected (unit, cgroup), without those inside of another one; or those that the processes are
  // in. Paths of the hierarchy with cpusets.
  std::vector<std::string> cgroups;
  std::vector<unsigned> processes;  // sorted
  std::vector<unsigned> threads;    // of all processes; of cgroups the whole subtree; sorted
  bool found = false;               // something matches, be it an empty cgroup
};

// Finds services on a host. Everything is read afresh at each call; what vanishes while it is read is passed
// over. `pids` of a process that is gone count as not found, as does a pidfile that is missing or empty.
// Neither means the children of these processes. Kernel threads match no exe and no comm.
class ServiceFinder {
 public:
  // Where `units` is null, a unit is a directory of its name anywhere in the tree.
  ServiceFinder(FileSystem& files, const Hierarchy& hierarchy, UnitManager* units = nullptr);
  ~ServiceFinder();

  // "others" finds nothing: it is what is left when all else is found.
  FoundService find(const Select& select);

  struct Thread {
    unsigned id = 0;
    unsigned process = 0;
    std::string name;          // comm
    std::string allowed_cpus;  // Cpus_allowed_list
    bool kernel = false;       // a kernel thread
  };
  std::vector<Thread> all_threads();  // by process, then id

  // User processes in the cgroup itself, of the hierarchy with cpusets; sorted, none if it is not there.
  std::vector<unsigned> processes_in(const std::string& cgroup);

  std::optional<unsigned> process_of(unsigned thread);  // nothing if it is gone
  bool is_kernel_thread(unsigned process);

  // When it started, in clock ticks since boot; nothing if it is gone.
  std::optional<std::uint64_t> started(unsigned process);

  // The cgroup of a process in that hierarchy; "/" if it is gone.
  std::string cgroup_of(unsigned process);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bulkhead
