// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/shape.h"

#include <algorithm>
#include <bit>

namespace bulkhead::sim {

CpuSet KernelShape::all_cpus() const {
  CpuSet all;
  for (const CpuPlace& place : cpus) all.insert(place.cpu);
  return all;
}

CpuSet KernelShape::all_nodes() const {
  CpuSet all;
  for (const CpuPlace& place : cpus) all.insert(place.node);
  return all;
}

CpuSet KernelShape::cpus_of_node(unsigned node) const {
  CpuSet found;
  for (const CpuPlace& place : cpus) {
    if (place.node == node) found.insert(place.cpu);
  }
  return found;
}

std::vector<CpuPlace> lay_out(const Layout& layout) {
  const unsigned cores_of_socket = layout.ccds * layout.cores;
  const unsigned all_cores = layout.sockets * cores_of_socket;
  const unsigned ids_of_socket = std::bit_ceil(layout.ccds);
  const unsigned all_ccds = layout.sockets * layout.ccds;
  std::vector<CpuPlace> places;
  for (unsigned core = 0; core < all_cores; ++core) {
    const unsigned ccd = core / layout.cores;
    CpuPlace place;
    place.socket = core / cores_of_socket;
    place.core = core % cores_of_socket;
    place.l2 = core / layout.cores_per_l2;
    place.l3 = place.socket * ids_of_socket + ccd % layout.ccds;
    place.node = ccd * layout.nodes / all_ccds;
    for (unsigned thread = 0; thread < layout.threads; ++thread) {
      place.cpu = layout.first_threads_first ? thread * all_cores + core : core * layout.threads + thread;
      places.push_back(place);
    }
  }
  std::sort(places.begin(), places.end(), [](const CpuPlace& a, const CpuPlace& b) { return a.cpu < b.cpu; });
  return places;
}

KernelShape amd_12ccd(unsigned nodes) {
  KernelShape shape;
  shape.cpus = lay_out({.ccds = 12, .nodes = nodes});
  return shape;
}

KernelShape amd_12ccd_192cpu() {
  KernelShape shape;
  shape.cpus = lay_out({.ccds = 12, .cores = 8, .nodes = 2, .first_threads_first = true});
  return shape;
}

KernelShape amd_2socket_3ccd() {
  KernelShape shape;
  shape.cpus = lay_out({.sockets = 2, .ccds = 3, .cores = 2, .nodes = 2, .first_threads_first = true});
  return shape;
}

KernelShape amd_2socket_12ccd() {
  KernelShape shape;
  shape.cpus = lay_out({.sockets = 2, .ccds = 12, .nodes = 2, .first_threads_first = true});
  return shape;
}

KernelShape amd_smt_off() {
  KernelShape shape;
  shape.cpus = lay_out({.ccds = 12, .cores = 2, .threads = 1, .nodes = 2});
  return shape;
}

KernelShape intel_2socket() {
  KernelShape shape;
  shape.vendor = Vendor::intel;
  shape.processor = "Intel Xeon Processor (Icelake)";
  shape.cpus = lay_out({.sockets = 2, .cores = 6, .nodes = 2});
  shape.l3 = CacheShape{.closids = 15,
                        .mask_bits = 12,
                        .min_bits = 1,
                        .shareable_mask = 0xc00,
                        .sparse = false,
                        .bytes = 54 << 20};
  shape.bandwidth = BandwidthShape{
      .closids = 15, .percent = true, .min = 10, .granularity = 10, .max = 100, .per_thread = true};
  shape.monitoring =
      MonitoringShape{.rmids = 224, .unit_bytes = 98304, .counter_bits = 24, .threshold_limit = 54 << 20};
  return shape;
}

KernelShape intel_1socket_cdp() {
  KernelShape shape = intel_2socket();
  shape.cpus = lay_out({.cores = 8, .first_threads_first = true});
  shape.mount_options = "cdp";
  return shape;
}

KernelShape few_closids() {
  KernelShape shape = amd_12ccd();
  shape.l3->closids = shape.bandwidth->closids = 4;
  shape.monitoring->rmids = 8;
  return shape;
}

KernelShape cat_only() {
  KernelShape shape = amd_12ccd();
  shape.bandwidth.reset();
  shape.monitoring.reset();
  return shape;
}

KernelShape mba_only() {
  KernelShape shape = amd_12ccd();
  shape.l3.reset();
  shape.monitoring.reset();
  return shape;
}

KernelShape mon_only() {
  KernelShape shape = amd_12ccd();
  shape.l3.reset();
  shape.bandwidth.reset();
  return shape;
}

KernelShape cdp() {
  KernelShape shape = amd_12ccd();
  shape.mount_options = "cdp";
  return shape;
}

KernelShape l2_only() {
  KernelShape shape = intel_2socket();
  shape.cpus = lay_out({.cores = 8, .threads = 1, .cores_per_l2 = 2});
  shape.l3.reset();
  shape.bandwidth.reset();
  shape.monitoring.reset();
  shape.l2 = CacheShape{.closids = 4, .mask_bits = 8, .min_bits = 1, .sparse = false, .bytes = 4 << 20};
  return shape;
}

KernelShape cgroup_v1() {
  KernelShape shape = amd_12ccd();
  shape.cgroup = CgroupSetup::v1;
  return shape;
}

KernelShape no_rdt() {
  KernelShape shape = mon_only();
  shape.monitoring.reset();
  shape.resctrl_mounted = false;
  return shape;
}

KernelShape epyc_9965(unsigned nodes) {
  KernelShape shape;
  shape.processor = "AMD EPYC 9965 192-Core Processor";
  shape.cpus = lay_out({.ccds = 12, .cores = 16, .nodes = nodes, .first_threads_first = true});
  shape.bandwidth->max = 4096;
  shape.slow_bandwidth = shape.bandwidth;
  shape.monitoring->rmids = 4096;
  shape.monitoring->threshold_limit = 1 << 20;
  shape.monitoring->configurable_events = true;
  shape.monitoring->assignable_counters = 32;
  shape.l3->io_allocation = true;
  return with(shape, Generation::linux_6_12);
}

KernelShape with(KernelShape shape, Generation generation) {
  shape.generation = generation;
  return shape;
}

}  // namespace bulkhead::sim
