// SPDX-License-Identifier: Apache-2.0
// A machine as values: which CPUs share a core, an L3 cache, a NUMA node, a socket. Where it came from (this
// host, a description, another host's file) no longer matters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/identifiers.h"

namespace bulkhead {

struct Core {
  std::vector<unsigned> cpus;  // its threads in order: cpus[0] is thread 0. Online ones only.
  std::optional<CacheId> ccd;  // none where the core has no L3, or none that the kernel has an id for
  int efficiency = -1;         // hybrid: hwloc's rank of the kind, 0 the most efficient; -1 all alike

  bool operator==(const Core&) const = default;
};

struct Ccd {  // one L3 domain
  CacheId id;
  CpuSet cpus;
  std::uint64_t l3_bytes = 0;
  CpuSet nodes;  // ids of the nodes with CPUs in it; usually one
  SocketId socket;

  bool operator==(const Ccd&) const = default;
};

struct Node {  // NUMA node
  NodeId id;
  CpuSet cpus;  // empty for a node of memory only
  std::uint64_t memory_bytes = 0;

  bool operator==(const Node&) const = default;
};

struct Socket {
  SocketId id;
  CpuSet cpus;

  bool operator==(const Socket&) const = default;
};

struct Machine {
  std::string name;             // "epyc-9965-nps2"; "this host" when live
  std::string vendor;           // "amd", "intel", or what the processor calls itself
  std::string model;            // "AMD EPYC 9965 192-Core Processor", may be empty
  CpuSet cpus;                  // online
  CpuSet offline;               // present but offline
  std::vector<Core> cores;      // by their first CPU
  std::vector<Ccd> ccds;        // by id
  std::vector<Node> nodes;      // by id
  std::vector<Socket> sockets;  // by id

  const Ccd* find_ccd(CacheId id) const;
  const Node* find_node(NodeId id) const;
  CpuSet nodes_of(const CpuSet& some_cpus) const;  // ids of the nodes that have any of these CPUs

  bool operator==(const Machine&) const = default;
};

}  // namespace bulkhead
