// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/machine.h"

#include <algorithm>
#include <map>
#include <set>

namespace bulkhead::sim {
namespace {

void find_siblings(Machine& machine, const std::vector<CpuPlace>& places) {
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> cores;
  for (const CpuPlace& place : places) cores[{place.socket, place.core}].push_back(place.cpu);
  machine.sibling_of_cpu.resize(places.back().cpu + 1);
  for (const auto& [core, cpus] : cores) {
    machine.threads_per_core = std::max(machine.threads_per_core, static_cast<unsigned>(cpus.size()));
    if (cpus.size() != 2) continue;
    machine.sibling_of_cpu[cpus[0]] = cpus[1];
    machine.sibling_of_cpu[cpus[1]] = cpus[0];
  }
}

}  // namespace

double Machine::latency(unsigned from_node, unsigned to_node) const {
  if (socket_of_node[from_node] != socket_of_node[to_node]) return memory.latency * memory.other_socket;
  if (nodes_per_socket == 1) return memory.latency;
  return memory.latency * (from_node == to_node ? 1 - memory.node_distance : 1 + memory.node_distance);
}

Machine machine_of(const KernelShape& shape, const MemoryFigures& memory) {
  Machine machine;
  machine.memory = memory;
  if (shape.cpus.empty()) return machine;
  const CacheShape l3 = shape.l3.value_or(CacheShape{});
  machine.ways = l3.mask_bits;
  machine.way_bytes = static_cast<double>(l3.bytes) / l3.mask_bits;

  std::map<unsigned, Ccd> ccds;
  std::set<unsigned> sockets;
  machine.socket_of_node.resize(shape.all_nodes().last() + 1);
  for (const CpuPlace& place : shape.cpus) {
    Ccd& ccd = ccds[place.l3];
    ccd.l3 = place.l3;
    ccd.node = place.node;
    ccd.cpus.push_back(place.cpu);
    machine.socket_of_node[place.node] = place.socket;
    sockets.insert(place.socket);
  }
  for (auto& [id, ccd] : ccds) machine.ccds.push_back(std::move(ccd));
  machine.nodes_per_socket = std::max(1U, machine.nodes() / static_cast<unsigned>(sockets.size()));
  machine.node_bandwidth = memory.socket_bandwidth / machine.nodes_per_socket;
  find_siblings(machine, shape.cpus);
  return machine;
}

}  // namespace bulkhead::sim
