// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/planner/hosts.h"

namespace bulkhead {

Machine regular_machine(const Shape& shape) {
  Machine machine;
  machine.name = "regular";
  const unsigned cores = shape.sockets * shape.nodes_per_socket * shape.ccds_per_node * shape.cores_per_ccd;
  for (unsigned core = 0; core < cores; ++core) {
    const unsigned ccd = core / shape.cores_per_ccd;
    const unsigned node = ccd / shape.ccds_per_node;
    const unsigned socket = node / shape.nodes_per_socket;
    if (machine.ccds.size() == ccd) {
      machine.ccds.push_back({.id = CacheId{ccd},
                              .cpus = {},
                              .l3_bytes = 32 << 20,
                              .nodes = {node},
                              .socket = SocketId{socket}});
    }
    if (machine.nodes.size() == node) {
      machine.nodes.push_back({.id = NodeId{node}, .cpus = {}, .memory_bytes = 1 << 30});
    }
    if (machine.sockets.size() == socket) machine.sockets.push_back({.id = SocketId{socket}, .cpus = {}});
    Core made{.cpus = {}, .ccd = CacheId{ccd}};
    for (unsigned thread = 0; thread < shape.threads; ++thread) {
      const unsigned cpu = core + thread * cores;
      made.cpus.push_back(cpu);
      machine.cpus.insert(cpu);
      machine.ccds[ccd].cpus.insert(cpu);
      machine.nodes[node].cpus.insert(cpu);
      machine.sockets[socket].cpus.insert(cpu);
    }
    machine.cores.push_back(std::move(made));
  }
  return machine;
}

namespace {

Capabilities with_domains(const Machine& machine) {
  Capabilities capabilities;
  capabilities.resctrl = true;
  capabilities.monitoring = MonitoringCapability{.rmids = 256, .events = {"llc_occupancy"}};
  for (const Ccd& ccd : machine.ccds) capabilities.domains.push_back(ccd.id);
  return capabilities;
}

}  // namespace

Capabilities amd_capabilities(const Machine& machine) {
  Capabilities capabilities = with_domains(machine);
  capabilities.l3 =
      CacheCapability{.closids = 16, .full = {0xffff}, .min_ways = 1, .shareable = {}, .sparse = true};
  capabilities.memory = BandwidthCapability{
      .closids = 16, .unit = BandwidthUnit::eighth_gb, .min = 0, .granularity = 1, .unlimited = 4096};
  return capabilities;
}

Capabilities intel_capabilities(const Machine& machine) {
  Capabilities capabilities = with_domains(machine);
  capabilities.l3 =
      CacheCapability{.closids = 8, .full = {0xfff}, .min_ways = 1, .shareable = {0xc00}, .sparse = false};
  capabilities.memory = BandwidthCapability{
      .closids = 8, .unit = BandwidthUnit::percent, .min = 10, .granularity = 10, .unlimited = 100};
  return capabilities;
}

Service service_named(const std::string& name) {
  Service service;
  service.name = name;
  service.select.kind = SelectKind::unit;
  service.select.text = name + ".service";
  service.cpus.choice = CpuChoice::rest;
  return service;
}

CpuWant listed(CpuScope scope, const CpuSet& ids) {
  CpuWant want;
  want.choice = CpuChoice::listed;
  want.scope = scope;
  want.ids = ids;
  return want;
}

CpuWant counted(CpuScope scope, unsigned count, std::optional<CpuScope> within) {
  CpuWant want;
  want.choice = CpuChoice::counted;
  want.scope = scope;
  want.count = count;
  want.within = within;
  return want;
}

CacheWant ways(unsigned count) {
  return {.data = Ways{count}, .code = {}, .place = {}};
}

}  // namespace bulkhead
