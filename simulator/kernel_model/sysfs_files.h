// SPDX-License-Identifier: Apache-2.0
// /sys/devices/system/{cpu,node}: which CPUs, caches and NUMA nodes there are, as the kernel tells programs.
#pragma once

#include <functional>
#include <string>

#include "controller/base/cpu_set.h"
#include "simulator/kernel_model/node.h"
#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class SysfsFiles {
 public:
  // `switch_cpu` takes a CPU offline or brings it back.
  SysfsFiles(World& world, std::function<void(unsigned cpu, bool online)> switch_cpu);

  Node cpus_directory();
  Node nodes_directory();

 private:
  struct Cache;

  Node cpu_directory(const CpuPlace& place);
  Node topology_directory(const CpuPlace& place);
  Node caches_directory(const CpuPlace& place);
  Node cache_directory(const CpuPlace& place, const Cache& cache);
  Node online_file(unsigned cpu);
  Node node_directory(unsigned node);
  // Online CPUs for which `same` holds.
  template <class Same>
  CpuSet sharing(Same&& same) const;
  std::string set_mask(const CpuSet& cpus) const;

  World& world_;
  std::function<void(unsigned, bool)> switch_cpu_;
};

}  // namespace bulkhead::sim
