// SPDX-License-Identifier: Apache-2.0
// Machines and policies by hand, for tests of the planner.
#pragma once

#include <string>

#include "controller/base/error.h"
#include "controller/planner/planner.h"

namespace bulkhead {

struct Shape {
  unsigned sockets = 1;
  unsigned nodes_per_socket = 1;
  unsigned ccds_per_node = 2;
  unsigned cores_per_ccd = 4;
  unsigned threads = 2;
};

// CPUs follow each other through sockets, nodes, CCDs and cores; the second threads come after all first
// ones.
Machine regular_machine(const Shape& shape);

Capabilities amd_capabilities(const Machine& machine);  // 16 ways with gaps, 1/8 GB/s
Capabilities intel_capabilities(
    const Machine& machine);  // 12 ways in one run, the upper 2 shared with devices

Service service_named(const std::string& name);
CpuWant listed(CpuScope scope, const CpuSet& ids);
CpuWant counted(CpuScope scope, unsigned count, std::optional<CpuScope> within = std::nullopt);
CacheWant ways(unsigned count);

// The message of the Error that `run` throws; empty if it throws none.
template <class Run>
std::string message_of(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.detail().message;
  }
  return {};
}

}  // namespace bulkhead
