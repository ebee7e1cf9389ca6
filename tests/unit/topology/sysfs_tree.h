// SPDX-License-Identifier: Apache-2.0
// A folder that looks like the files of a running kernel, for hwloc to read in place of this host's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"

namespace bulkhead {

struct SysfsCpu {
  unsigned cpu = 0;
  CpuSet core;  // its threads
  unsigned socket = 0;
  CpuSet socket_cpus;
  std::optional<CpuSet> l3;          // who shares it
  std::optional<unsigned> cache_id;  // absent on old kernels
  bool online = true;
  unsigned highest_khz = 0;  // 0: the kernel does not say
};

struct SysfsNode {
  unsigned node = 0;
  CpuSet cpus;
  unsigned memory_kib = 0;
};

// While it lives, hwloc's "live" topology is the tree's.
class SysfsTree {
 public:
  SysfsTree(const std::vector<SysfsCpu>& cpus, const std::vector<SysfsNode>& nodes);
  ~SysfsTree();
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

 private:
  void write(const std::string& path, const std::string& text) const;
  void write_cpu(const SysfsCpu& cpu) const;

  std::filesystem::path root_;
};

}  // namespace bulkhead
