// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/placement.h"

#include <map>
#include <set>
#include <tuple>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

void check(const Machine& machine, const Placement& placement, std::size_t services) {
  const auto demand = [](bool holds, const char* message) {
    if (!holds) throw Error(ErrorCode::internal, message);
  };
  for (const Control& control : placement.controls) {
    demand(control.size() == machine.ccds.size(), "a control group needs one limit per CCD");
  }
  std::set<std::pair<unsigned, unsigned>> seen;
  for (const Crew& crew : placement.crews) {
    demand(crew.service < services, "a crew of a service that is not there");
    demand(crew.control < placement.controls.size(), "a crew in a control group that is not there");
    demand(seen.insert({crew.service, crew.counted}).second, "two crews of a service under one counted id");
    demand(crew.memory_nodes.empty() || crew.memory_nodes.last() < machine.nodes(),
           "memory on an absent node");
    for (const ThreadSet& set : crew.threads) {
      demand(set.cpus.empty() || set.cpus.last() < machine.sibling_of_cpu.size(), "threads on an absent CPU");
    }
  }
}

using Weights = std::vector<double>;

std::vector<Weights> weights_by_cpu(const Machine& machine, const Placement& placement) {
  std::vector<Weights> weights(machine.sibling_of_cpu.size(), Weights(placement.crews.size()));
  for (std::size_t crew = 0; crew < placement.crews.size(); ++crew) {
    for (const ThreadSet& set : placement.crews[crew].threads) {
      const double each = set.threads / static_cast<double>(set.cpus.size());
      set.cpus.for_each([&](unsigned cpu) { weights[cpu][crew] += each; });
    }
  }
  return weights;
}

}  // namespace

Control unlimited(const Machine& machine) {
  return Control(machine.ccds.size(), CcdLimit{.ways = WayMask::run(0, machine.ways)});
}

double bandwidth_limit(const Machine& machine, const BandwidthShape& shape, unsigned value) {
  constexpr double kEighth = 1e9 / 8;
  if (value >= shape.max) return std::numeric_limits<double>::infinity();
  if (!shape.percent) return value * kEighth;
  return value / 100.0 * machine.node_bandwidth * machine.nodes() / static_cast<double>(machine.ccds.size());
}

std::vector<CpuClass> cpu_classes(const Machine& machine, const Placement& placement, std::size_t services) {
  check(machine, placement, services);
  const std::vector<Weights> weights = weights_by_cpu(machine, placement);
  const Weights nobody(placement.crews.size());
  std::map<std::tuple<unsigned, bool, Weights, Weights>, double> counts;
  for (unsigned ccd = 0; ccd < machine.ccds.size(); ++ccd) {
    for (const unsigned cpu : machine.ccds[ccd].cpus) {
      if (weights[cpu] == nobody) continue;
      const auto sibling = machine.sibling_of_cpu[cpu];
      counts[{ccd, sibling.has_value(), weights[cpu], sibling ? weights[*sibling] : nobody}] += 1;
    }
  }
  std::vector<CpuClass> classes;
  for (const auto& [key, cpus] : counts) {
    const auto& [ccd, has_sibling, own, siblings] = key;
    classes.push_back({ccd, cpus, has_sibling, own, siblings});
  }
  return classes;
}

}  // namespace bulkhead::sim
