// SPDX-License-Identifier: Apache-2.0
// The machine as the performance model sees it: L3 caches with their CPUs, and the memory behind them.
#pragma once

#include <optional>
#include <vector>

#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

// What the kernel's files do not tell. The figures of a 5th generation EPYC with 12 channels of DDR5-6400.
struct MemoryFigures {
  double socket_bandwidth = 614.4e9;  // bytes/s
  double latency = 1.0;               // of a DRAM access, against the reference machine of the services
  double node_distance = 0.035;       // of a socket; the near one is so much faster than the mean
  double other_socket = 1.6;          // latency of the other socket's memory
  double queueing = 0.3;              // eta of Q(u) = 1 + eta u / (1 - u)
  double core_gain = 1.03;            // speed of a core against the reference machine
  double cache_settling = 0.5;        // seconds; the fastest that a way changes hands
};

struct Ccd {
  unsigned l3 = 0;  // the kernel's cache id
  unsigned node = 0;
  std::vector<unsigned> cpus;
};

struct Machine {
  std::vector<Ccd> ccds;  // ascending by cache id
  unsigned threads_per_core = 1;
  unsigned ways = 16;
  double way_bytes = 2 << 20;
  std::vector<unsigned> socket_of_node;
  double node_bandwidth = 0;
  unsigned nodes_per_socket = 1;
  std::vector<std::optional<unsigned>> sibling_of_cpu;
  MemoryFigures memory;

  unsigned nodes() const { return static_cast<unsigned>(socket_of_node.size()); }
  double ccd_bytes() const { return way_bytes * ways; }
  double latency(unsigned from_node, unsigned to_node) const;
  // Q(u) by v = u / (1 - u), the length of the queue, which has no upper end.
  double queue(double length) const { return 1 + memory.queueing * length; }
};

Machine machine_of(const KernelShape& shape, const MemoryFigures& memory = {});

}  // namespace bulkhead::sim
