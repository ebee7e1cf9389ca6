// SPDX-License-Identifier: Apache-2.0
#include "cgroup/cpu_use.h"

#include <unistd.h>

namespace bulkhead {

std::vector<CpuUse::Thread> CpuUse::since_last() {
  std::vector<Thread> ran;
  std::unordered_map<unsigned, std::uint64_t> now;
  for (const unsigned process : processes_.processes()) {
    if (process == static_cast<unsigned>(::getpid())) continue;
    for (const unsigned id : processes_.threads(process)) {
      const auto run = processes_.run(process, id);
      if (!run || run->kernel) continue;
      now[id] = run->ticks;
      const auto before = ticks_.find(id);
      // A lower count is another thread, to which the kernel gave the same number.
      if (before != ticks_.end() && run->ticks > before->second)
        ran.push_back({id, process, run->name, run->cpu});
    }
  }
  ticks_ = std::move(now);
  return ran;
}

}  // namespace bulkhead
