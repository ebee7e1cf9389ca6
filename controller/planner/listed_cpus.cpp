// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/listed_cpus.h"

#include <map>

#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

using CpusById = std::map<unsigned, CpuSet>;

CpusById domains_of(const Machine& machine, CpuScope scope) {
  CpusById found;
  if (scope == CpuScope::sockets) {
    for (const Socket& socket : machine.sockets) found[socket.id.value] = socket.cpus & machine.cpus;
  } else if (scope == CpuScope::nodes) {
    for (const Node& node : machine.nodes) found[node.id.value] = node.cpus & machine.cpus;
  } else {
    for (const Ccd& ccd : machine.ccds) found[ccd.id.value] = ccd.cpus & machine.cpus;
  }
  return found;
}

CpuSet ids_of(const CpusById& domains) {
  CpuSet ids;
  for (const auto& [id, cpus] : domains) ids.insert(id);
  return ids;
}

[[noreturn]] void refuse_ids(const Place& place, const std::string& service, std::string_view noun,
                             const CpuSet& unknown, const CpuSet& known, const Machine& machine) {
  std::string message =
      service + " wants " + name_ids(noun, unknown) + ", which " + machine.name + " lacks: ";
  message += known.empty() ? "it has no " + std::string(noun) + "s"
                           : std::string(noun) + " ids there are " + known.to_list();
  refuse(ErrorCode::infeasible, place, message);
}

CpuSet named_cpus(const CpuWant& want, const Machine& machine, const std::string& service) {
  if (want.every_id) return machine.cpus;
  const CpuSet unknown = want.ids - machine.cpus - machine.offline;
  if (!unknown.empty()) {
    refuse_ids(want.place, service, "CPU", unknown, machine.cpus | machine.offline, machine);
  }
  const CpuSet offline = want.ids & machine.offline;
  if (!offline.empty()) {
    const bool one = offline.size() == 1;
    refuse(ErrorCode::infeasible, want.place,
           service + " wants " + name_cpus(offline) + ", which " + (one ? "is" : "are") +
               " offline; online are " + name_cpus(machine.cpus));
  }
  return want.ids;
}

// Nodes that can hold memory. A description without sizes says nothing, and then all of them can.
CpuSet nodes_with_memory(const Machine& machine) {
  CpuSet all;
  CpuSet with_memory;
  for (const Node& node : machine.nodes) {
    all.insert(node.id.value);
    if (node.memory_bytes != 0) with_memory.insert(node.id.value);
  }
  return with_memory.empty() ? all : with_memory;
}

}  // namespace

CpuSet listed_cpus(const CpuWant& want, const Machine& machine, const std::string& service) {
  if (want.scope == CpuScope::cpus || want.scope == CpuScope::cores)
    return named_cpus(want, machine, service);
  const CpusById domains = domains_of(machine, want.scope);
  const CpuSet known = ids_of(domains);
  const std::string_view noun = word_of(want.scope).one;
  const CpuSet unknown = want.every_id ? CpuSet{} : want.ids - known;
  if (!unknown.empty()) refuse_ids(want.place, service, noun, unknown, known, machine);
  CpuSet cpus;
  for (const auto& [id, members] : domains) {
    if (!want.every_id && !want.ids.contains(id)) continue;
    if (members.empty() && !want.every_id) {
      refuse(
          ErrorCode::infeasible, want.place,
          service + " wants " + std::string(noun) + ' ' + std::to_string(id) + ", which has no CPUs online");
    }
    cpus |= members;
  }
  if (cpus.empty()) {
    refuse(ErrorCode::infeasible, want.place,
           service + " wants " + describe(want) + ", where there are no CPUs");
  }
  return cpus;
}

CpuSet memory_nodes(const MemoryWant& want, const Machine& machine, const CpuSet& cpus,
                    const std::string& service) {
  const CpuSet usable = nodes_with_memory(machine);
  switch (want.kind) {
    case MemoryWant::Kind::unchanged:
      return {};
    case MemoryWant::Kind::all:
      return usable;
    case MemoryWant::Kind::local:
      break;
    case MemoryWant::Kind::nodes:
      if (!usable.contains(want.nodes)) {
        const CpuSet missing = want.nodes - usable;
        refuse(ErrorCode::infeasible, want.place,
               service + " wants memory of " + name_ids("node", missing) + ", which " + machine.name +
                   " lacks: nodes with memory there are " + usable.to_list());
      }
      return want.nodes;
  }
  CpuSet local;
  for (const Node& node : machine.nodes) {
    if (node.cpus.intersects(cpus)) local.insert(node.id.value);
  }
  if ((local & usable).empty()) {
    refuse(ErrorCode::infeasible, want.place,
           service + " wants local memory, but " + name_ids("node", local) +
               " with its CPUs has none: nodes with memory are " + usable.to_list());
  }
  return local & usable;
}

}  // namespace bulkhead
