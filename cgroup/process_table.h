// SPDX-License-Identifier: Apache-2.0
// Processes and threads as procfs shows them. Any of them can vanish between two calls; then there is
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"

namespace bulkhead {

class ProcessTable {
 public:
  explicit ProcessTable(FileSystem& files);

  std::vector<unsigned> processes();                // sorted
  std::vector<unsigned> threads(unsigned process);  // sorted; none if it is gone

  // The program's path without " (deleted)"; nothing for kernel threads, zombies and what we may not look at.
  std::optional<std::string> program(unsigned process);
  std::optional<std::string> name(unsigned process);  // comm
  bool is_kernel_thread(unsigned process);

  // Whose thread it is; of a process's first thread, itself.
  std::optional<unsigned> process_of(unsigned thread);

  // When it started, in clock ticks since boot: with its number that names a process for good.
  std::optional<std::uint64_t> started(unsigned process);

  // The process's cgroup in the hierarchy of `controller`, or for an empty one in cgroup v2.
  std::optional<std::string> cgroup(unsigned process, std::string_view controller);

  struct Status {
    std::string name;
    std::string allowed_cpus;
  };
  std::optional<Status> status(unsigned process, unsigned thread);

  struct Run {
    std::string name;
    std::uint64_t ticks = 0;  // of CPU time, in user and kernel mode
    unsigned cpu = 0;         // on which it ran last
    bool kernel = false;      // a kernel thread
  };
  std::optional<Run> run(unsigned process, unsigned thread);

 private:
  std::optional<std::string> read(unsigned process, const std::string& file);

  std::unique_ptr<Directory> proc_;
};

}  // namespace bulkhead
