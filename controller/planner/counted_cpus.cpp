// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/counted_cpus.h"

#include <algorithm>
#include <set>

#include "controller/base/text.h"
#include "controller/planner/core_fill.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

// A domain that all units must lie in: a socket, node or CCD, or the machine.
struct Domain {
  std::string name;
  CpuSet cpus;
  std::vector<CpuSet> free;     // free sockets, nodes or CCDs
  std::vector<CcdCores> cores;  // free cores, for cores and CPUs
  std::size_t units = 0;        // in all, free or not
  std::size_t free_units = 0;
};

std::vector<CpuSet> larger_units(const Machine& machine, CpuScope scope) {
  std::vector<CpuSet> units;
  if (scope == CpuScope::sockets) {
    for (const Socket& socket : machine.sockets) units.push_back(socket.cpus & machine.cpus);
  } else if (scope == CpuScope::nodes) {
    for (const Node& node : machine.nodes) units.push_back(node.cpus & machine.cpus);
  } else {
    for (const Ccd& ccd : machine.ccds) units.push_back(ccd.cpus & machine.cpus);
  }
  std::erase_if(units, [](const CpuSet& unit) { return unit.empty(); });
  return units;
}

std::vector<Domain> domains_of(const Machine& machine, const std::optional<CpuScope>& within) {
  std::vector<Domain> domains;
  const auto add = [&](std::string name, const CpuSet& cpus) {
    if (!cpus.empty()) domains.push_back({.name = std::move(name), .cpus = cpus, .free = {}, .cores = {}});
  };
  if (!within) {
    add(machine.name, machine.cpus);
  } else if (*within == CpuScope::sockets) {
    for (const Socket& socket : machine.sockets)
      add("socket " + to_string(socket.id), socket.cpus & machine.cpus);
  } else if (*within == CpuScope::nodes) {
    for (const Node& node : machine.nodes) add("node " + to_string(node.id), node.cpus & machine.cpus);
  } else {
    for (const Ccd& ccd : machine.ccds) add("CCD " + to_string(ccd.id), ccd.cpus & machine.cpus);
  }
  return domains;
}

void count_units(Domain& domain, const CpuWant& want, const Machine& machine, const CpuSet& held) {
  if (want.scope == CpuScope::cores || want.scope == CpuScope::cpus) {
    const bool whole = want.scope == CpuScope::cores;
    domain.cores = free_cores(machine, domain.cpus, held, whole);
    for (const CcdCores& ccd : domain.cores) domain.free_units += ccd.units;
    domain.units = whole ? cores_in(machine, domain.cpus) : domain.cpus.size();
    return;
  }
  for (CpuSet& unit : larger_units(machine, want.scope)) {
    if (!domain.cpus.contains(unit)) continue;
    ++domain.units;
    if (!unit.intersects(held)) domain.free.push_back(std::move(unit));
  }
  domain.free_units = domain.free.size();
}

CpuSet take(Domain& domain, const CpuWant& want) {
  if (want.scope == CpuScope::cores || want.scope == CpuScope::cpus) {
    return fill_cores(std::move(domain.cores), want.count, want.scope == CpuScope::cores);
  }
  CpuSet taken;
  for (std::size_t index = 0; index < want.count; ++index) taken |= domain.free[index];
  return taken;
}

[[noreturn]] void refuse_count(const CpuWant& want, const std::vector<Domain>& domains,
                               const std::vector<CpuHolder>& holders, const std::string& service) {
  std::size_t most = 0;
  std::vector<std::string> counts;
  std::set<std::string> different;
  for (const Domain& domain : domains) {
    most = std::max(most, domain.free_units);
    const std::string count =
        " has " + std::to_string(domain.free_units) + " free of " + count_of(domain.units, want.scope);
    counts.push_back(domain.name + count);
    different.insert(count);
  }
  if (want.within && domains.size() > 1 && different.size() == 1) {
    counts = {"each " + std::string(word_of(*want.within).one) + *different.begin()};
  }
  std::string message =
      service + " wants " + describe(want) + ", but " +
      (most == 0 ? "none is free" : "at most " + std::to_string(most) + (most == 1 ? " fits" : " fit"));
  if (!counts.empty()) message += ": " + join(few_of(counts), ", ");
  if (!holders.empty()) message += "; " + name_holders(holders);
  refuse(ErrorCode::infeasible, want.place, message);
}

}  // namespace

CpuSet counted_cpus(const CpuWant& want, const Machine& machine, const std::vector<CpuHolder>& holders,
                    const std::string& service) {
  CpuSet held;
  for (const CpuHolder& holder : holders) held |= holder.cpus;
  std::vector<Domain> domains = domains_of(machine, want.within);
  Domain* best = nullptr;
  for (Domain& domain : domains) {
    count_units(domain, want, machine, held);
    if (domain.free_units >= want.count && (best == nullptr || domain.free_units < best->free_units)) {
      best = &domain;
    }
  }
  if (best == nullptr || want.count == 0) refuse_count(want, domains, holders, service);
  return take(*best, want);
}

}  // namespace bulkhead
