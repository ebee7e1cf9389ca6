// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/generations.h"

#include "simulator/hardware_model/equilibrium.h"

namespace bulkhead::sim {
namespace {

// All CCDs of a host are alike here, so one or two stand for it, with their part of the bandwidth.
struct Host {
  unsigned ccds;
  unsigned cores;  // of a CCD
  unsigned cache;  // MiB of a CCD
  double bandwidth;
  double Parameters::*core_gain;  // none for the reference
};

constexpr Host kGenoaX{12, 8, 96, 460.8e9, nullptr};
constexpr Host kTurin9965{12, 16, 32, 614.4e9, &Parameters::dense_core_gain};
constexpr std::array<Host, kGenerationRows> kHosts{{{16, 8, 32, 614.4e9, &Parameters::classic_core_gain},
                                                    {10, 16, 32, 614.4e9, &Parameters::dense_core_gain},
                                                    kTurin9965,
                                                    kTurin9965}};
constexpr unsigned kProxy = 0;
constexpr unsigned kNeighbours = 1;

Machine slice(const Host& host, const Parameters& parameters, unsigned ccds) {
  KernelShape shape;
  shape.cpus = lay_out({.ccds = ccds, .cores = host.cores, .nodes = ccds});
  shape.l3->bytes = std::uint64_t{host.cache} << 20;
  MemoryFigures memory;
  memory.socket_bandwidth = host.bandwidth * ccds / host.ccds;
  memory.queueing = parameters.queueing;
  memory.node_distance = parameters.node_distance;
  memory.core_gain = host.core_gain == nullptr ? 1 : parameters.*host.core_gain;
  return machine_of(shape, memory);
}

template <class Holds>
CpuSet cpus_that(const Machine& machine, Holds holds) {
  CpuSet cpus;
  for (unsigned ccd = 0; ccd < machine.ccds.size(); ++ccd) {
    for (unsigned at = 0; at < machine.ccds[ccd].cpus.size(); ++at) {
      if (holds(ccd, at)) cpus.insert(machine.ccds[ccd].cpus[at]);
    }
  }
  return cpus;
}

CpuSet all_cpus(const Machine& machine) {
  return cpus_that(machine, [](unsigned, unsigned) { return true; });
}

unsigned half_of_cpus(const Machine& machine) {
  return static_cast<unsigned>(all_cpus(machine).size()) / 2;
}

Placement together(const Machine& machine) {
  Placement placement{.controls = {unlimited(machine)}};
  for (const unsigned service : {kProxy, kNeighbours}) {
    placement.crews.push_back({.service = service, .threads = {{half_of_cpus(machine), all_cpus(machine)}}});
  }
  return placement;
}

Placement apart(const Machine& machine, const CpuSet& proxy_cpus, unsigned proxy_ways) {
  Placement placement{.controls = {unlimited(machine), unlimited(machine)}};
  if (proxy_ways < machine.ways) {
    for (CcdLimit& limit : placement.controls[kProxy]) limit.ways = WayMask::run(0, proxy_ways);
    for (CcdLimit& limit : placement.controls[kNeighbours]) {
      limit.ways = WayMask::run(proxy_ways, machine.ways - proxy_ways);
    }
  }
  const unsigned threads = half_of_cpus(machine);
  placement.crews = {
      {.service = kProxy, .control = 0, .counted = 1, .threads = {{threads, proxy_cpus}}},
      {.service = kNeighbours, .control = 1, .threads = {{threads, all_cpus(machine) - proxy_cpus}}}};
  return placement;
}

// CPUs of a slice are numbered core by core, both CPUs of each, CCD by CCD.
std::array<Placement, kIsolationRows> isolations(const Machine& machine) {
  const unsigned ccd_cpus = static_cast<unsigned>(machine.ccds[0].cpus.size());
  const CpuSet one_of_each_core = cpus_that(machine, [](unsigned, unsigned at) { return at % 2 == 0; });
  const CpuSet half_of_cores = cpus_that(machine, [&](unsigned, unsigned at) { return at < ccd_cpus / 2; });
  std::array<Placement, kIsolationRows> placements;
  placements[kNuma6Of12] =
      apart(machine, cpus_that(machine, [](unsigned ccd, unsigned) { return ccd == 0; }), machine.ways);
  placements[kNuma6Of12].crews[kProxy].memory_nodes = {0};
  placements[kNuma6Of12].crews[kNeighbours].memory_nodes = {1};
  placements[kPqos1] = apart(machine, one_of_each_core, machine.ways * 3 / 4);
  placements[kPqos2] = apart(machine, one_of_each_core, machine.ways / 2);
  placements[kPqos3] = apart(machine, half_of_cores, machine.ways / 2);
  return placements;
}

GenerationRow run(const Host& host, const Parameters& parameters, double misses) {
  const Machine machine = slice(host, parameters, 1);
  std::vector<ServiceSpec> services = proxy_and_neighbours(parameters, half_of_cpus(machine));
  services[kProxy].misses = misses;
  const Placement placement = together(machine);
  const auto full = at_rest(machine, services, placement, std::vector<Conditions>(services.size()));
  const auto latency = [&](double load) {
    std::vector<Conditions> moments;
    for (const ServiceRates& rates : full) moments.push_back({.offered = load * rates.capacity});
    return at_rest(machine, services, placement, moments)[kProxy].latency;
  };
  return {full[kProxy].requests * host.ccds, latency(kLowLoad), latency(kHighLoad)};
}

}  // namespace

std::array<GenerationRow, kGenerationRows> generation_rows(const Parameters& parameters, double new_misses) {
  const GenerationRow reference = run(kGenoaX, parameters, 1);
  std::array<GenerationRow, kGenerationRows> rows;
  for (unsigned at = 0; at < kGenerationRows; ++at) {
    rows[at] = run(kHosts[at], parameters, at == kNewOn9965 ? new_misses : 1);
    rows[at].throughput /= reference.throughput;
    rows[at].low_latency /= reference.low_latency;
    rows[at].high_latency /= reference.high_latency;
  }
  return rows;
}

std::array<IsolationRow, kIsolationRows> isolation_rows(const Parameters& parameters) {
  const Machine machine = slice(kTurin9965, parameters, 2);
  const std::vector<ServiceSpec> services = proxy_and_neighbours(parameters, half_of_cpus(machine));
  const std::vector<Conditions> saturated(services.size());
  const auto shared = at_rest(machine, services, together(machine), saturated);
  const auto placements = isolations(machine);
  std::array<IsolationRow, kIsolationRows> rows;
  for (unsigned at = 0; at < kIsolationRows; ++at) {
    const auto isolated = at_rest(machine, services, placements[at], saturated);
    rows[at] = {isolated[kProxy].requests / shared[kProxy].requests,
                isolated[kNeighbours].requests / shared[kNeighbours].requests};
  }
  return rows;
}

}  // namespace bulkhead::sim
