// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/machine_completion.h"

#include <algorithm>
#include <string>
#include <utility>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

[[noreturn]] void refuse(std::string message) {
  throw Error(ErrorCode::invalid, std::move(message));
}

void take_out_offline(Machine& machine) {
  if (machine.offline.empty()) return;
  for (Core& core : machine.cores) {
    std::erase_if(core.cpus, [&machine](unsigned cpu) { return machine.offline.contains(cpu); });
  }
  for (Ccd& ccd : machine.ccds) ccd.cpus -= machine.offline;
  for (Node& node : machine.nodes) node.cpus -= machine.offline;
  for (Socket& socket : machine.sockets) socket.cpus -= machine.offline;
}

// A node of memory only has no CPUs and stays; the kernel has no other object without CPUs.
void drop_empty(Machine& machine) {
  std::erase_if(machine.cores, [](const Core& core) { return core.cpus.empty(); });
  std::erase_if(machine.ccds, [](const Ccd& ccd) { return ccd.cpus.empty(); });
  std::erase_if(machine.sockets, [](const Socket& socket) { return socket.cpus.empty(); });
}

void order(Machine& machine) {
  for (Core& core : machine.cores) std::ranges::sort(core.cpus);
  std::ranges::sort(machine.cores, {}, [](const Core& core) { return core.cpus.front(); });
  std::ranges::stable_sort(machine.ccds, {}, &Ccd::id);
  std::ranges::stable_sort(machine.nodes, {}, &Node::id);
  std::ranges::stable_sort(machine.sockets, {}, &Socket::id);
}

void collect_cpus(Machine& machine) {
  machine.cpus = {};
  for (const Core& core : machine.cores) {
    for (const unsigned cpu : core.cpus) {
      if (machine.cpus.contains(cpu)) refuse("CPU " + std::to_string(cpu) + " is in more than one core");
      machine.cpus.insert(cpu);
    }
  }
  if (machine.cpus.empty()) refuse("the machine has no online CPU");
}

// Unique ids, no CPU twice, no CPU that is in no core.
template <class Part>
void check(const std::vector<Part>& parts, const CpuSet& cpus, const std::string& noun) {
  CpuSet seen;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const Part& part = parts[index];
    const std::string name = noun + ' ' + to_string(part.id);
    if (index > 0 && parts[index - 1].id == part.id) {
      refuse("the id of " + name + " is used twice, for CPUs " + parts[index - 1].cpus.to_list() + " and " +
             part.cpus.to_list());
    }
    if (seen.intersects(part.cpus)) {
      refuse(name + " has CPUs " + (seen & part.cpus).to_list() + ", which another " + noun + " has as well");
    }
    if (!cpus.contains(part.cpus)) {
      refuse(name + " has CPUs " + (part.cpus - cpus).to_list() + ", which no core has");
    }
    seen |= part.cpus;
  }
}

void assign_ccds(Machine& machine) {
  std::vector<std::optional<CacheId>> ccd_of(machine.cpus.last() + 1);
  for (const Ccd& ccd : machine.ccds) {
    ccd.cpus.for_each([&](unsigned cpu) { ccd_of[cpu] = ccd.id; });
  }
  for (Core& core : machine.cores) {
    core.ccd = ccd_of[core.cpus.front()];
    for (const unsigned cpu : core.cpus) {
      if (ccd_of[cpu] == core.ccd) continue;
      refuse("CPUs " + std::to_string(core.cpus.front()) + " and " + std::to_string(cpu) +
             " share a core, but not an L3 cache");
    }
  }
}

void place_ccds(Machine& machine) {
  for (Ccd& ccd : machine.ccds) {
    ccd.nodes = machine.nodes_of(ccd.cpus);
    const auto home = std::ranges::find_if(
        machine.sockets, [&ccd](const Socket& socket) { return socket.cpus.intersects(ccd.cpus); });
    ccd.socket = home == machine.sockets.end() ? SocketId{} : home->id;
  }
}

}  // namespace

Machine complete_machine(Machine machine) {
  take_out_offline(machine);
  drop_empty(machine);
  order(machine);
  collect_cpus(machine);
  if (machine.sockets.empty()) machine.sockets.push_back({.id = SocketId{0}, .cpus = machine.cpus});
  check(machine.ccds, machine.cpus, "L3 cache");
  check(machine.nodes, machine.cpus, "NUMA node");
  check(machine.sockets, machine.cpus, "socket");
  assign_ccds(machine);
  place_ccds(machine);
  return machine;
}

}  // namespace bulkhead
