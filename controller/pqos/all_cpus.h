// SPDX-License-Identifier: Apache-2.0
// libpqos's MSR interface finds caches by moving itself to each CPU and asking that for its number; a CPU
// that its cgroup does not have is missing to it from then on. A policy in force is just what takes CPUs
// away.
#pragma once

#include <string>

#include "controller/kernel/file_system.h"

namespace bulkhead {

// While it lives this process is in the root of the tree with cpusets. Where that cannot be it changes
// nothing: then CPUs are missing, which is noticed.
class AllCpus {
 public:
  explicit AllCpus(FileSystem& files);
  AllCpus(const AllCpus&) = delete;
  AllCpus& operator=(const AllCpus&) = delete;
  ~AllCpus();

 private:
  void move_to(const std::string& cgroup);

  FileSystem& files_;
  std::string mount_point_;
  std::string home_;  // where this process was; empty where it has not been moved
};

}  // namespace bulkhead
