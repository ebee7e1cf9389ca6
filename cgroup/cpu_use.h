// SPDX-License-Identifier: Apache-2.0
// Which threads ran, and where: not where they may run, but where they did.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cgroup/process_table.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

class CpuUse {
 public:
  struct Thread {
    unsigned id = 0;
    unsigned process = 0;
    std::string name;  // comm
    unsigned cpu = 0;  // on which it ran last
  };

  explicit CpuUse(FileSystem& files) : processes_(files) {}

  // User threads that used CPU time since the previous call, by process and id; none at the first call. The
  // kernel counts by ticks: who runs for less than a few milliseconds may be missing. Threads of this program
  // are left out.
  std::vector<Thread> since_last();

 private:
  ProcessTable processes_;
  std::unordered_map<unsigned, std::uint64_t> ticks_;  // by thread
};

}  // namespace bulkhead
