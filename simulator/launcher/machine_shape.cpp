// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/machine_shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

template <class Things>
unsigned index_with(const Things& things, unsigned cpu) {
  const auto found =
      std::ranges::find_if(things, [&](const auto& thing) { return thing.cpus.contains(cpu); });
  return found == things.end() ? 0 : found->id.value;
}

std::vector<CpuPlace> places_of(const Machine& machine) {
  std::vector<CpuPlace> places;
  std::map<unsigned, unsigned> cores_of_socket;
  unsigned l2 = 0;
  for (const Core& core : machine.cores) {
    if (core.cpus.empty()) continue;
    if (!core.ccd) {
      throw Error(ErrorCode::invalid, "core with CPU " + std::to_string(core.cpus.front()) +
                                          " has no L3: such machines cannot be simulated");
    }
    const unsigned socket = index_with(machine.sockets, core.cpus.front());
    const unsigned number = cores_of_socket[socket]++;
    for (const unsigned cpu : core.cpus) {
      places.push_back({.cpu = cpu,
                        .core = number,
                        .l2 = l2,
                        .l3 = core.ccd->value,
                        .node = index_with(machine.nodes, cpu),
                        .socket = socket});
    }
    ++l2;
  }
  std::ranges::sort(places, {}, &CpuPlace::cpu);
  return places;
}

CacheShape cache_of(const CacheCapability& capability, bool split, std::uint64_t bytes, Vendor vendor) {
  return {.closids = split ? capability.closids * 2 : capability.closids,  // the file has them halved
          .mask_bits = capability.ways(),
          .min_bits = vendor == Vendor::amd ? 0 : capability.min_ways,  // AMD's kernel file says 0
          .shareable_mask = capability.shareable.bits,
          .sparse = capability.sparse,
          .cdp_capable = true,
          .bytes = bytes};
}

BandwidthShape bandwidth_of(const BandwidthCapability& capability) {
  return {.closids = capability.closids,
          .percent = capability.unit != BandwidthUnit::eighth_gb,
          .min = capability.min,
          .granularity = capability.granularity,
          .max = capability.unit == BandwidthUnit::mib_per_second ? 100 : capability.unlimited,
          .per_thread = capability.unit != BandwidthUnit::eighth_gb};
}

// What no machine file says: the unit and width of counters, and the most that an RMID may still hold of the
// cache to be used again, which is the L3's size on Intel and the L2's on AMD.
MonitoringShape counters_of_intel(std::uint64_t l3_bytes) {
  return {.unit_bytes = 98304, .counter_bits = 24, .threshold_limit = l3_bytes};
}

enum class Zen { earlier, zen4, zen5 };

// By the name: the last digit of an EPYC 9000 is its generation, as in 9684X and 9965.
Zen zen_of(const std::string& model) {
  constexpr std::string_view kSeries = "EPYC 9";
  const auto place = model.find(kSeries);
  if (place == std::string::npos) return Zen::earlier;
  const std::size_t last_digit = place + kSeries.size() + 2;
  return last_digit < model.size() && model[last_digit] == '5' ? Zen::zen5 : Zen::zen4;
}

MonitoringShape counters_of_amd(const Machine& machine, Generation generation) {
  constexpr unsigned kTurinCounters = 32;
  const Zen zen = zen_of(machine.model);
  const bool assignable = zen == Zen::zen5 && generation == Generation::linux_7;
  return {.unit_bytes = 64,
          .counter_bits = 44,
          .threshold_limit = std::uint64_t{zen != Zen::earlier ? 1024U : 512U} << 10,
          .configurable_events = zen != Zen::earlier && generation != Generation::linux_6_1,
          .assignable_counters = assignable ? kTurinCounters : 0};
}

}  // namespace

KernelShape shape_of(const Host& host, Generation generation) {
  const Machine& machine = host.machine;
  const Capabilities& capabilities = host.capabilities;
  KernelShape shape;
  shape.generation = generation;
  shape.vendor = machine.vendor == "intel" ? Vendor::intel : Vendor::amd;
  if (!machine.model.empty()) {
    shape.processor = machine.model;
  } else if (shape.vendor == Vendor::intel) {
    shape.processor = intel_2socket().processor;  // the lab's
  }
  shape.cpus = places_of(machine);
  const std::uint64_t l3_bytes = machine.ccds.empty() ? 0 : machine.ccds.front().l3_bytes;
  shape.l3.reset();
  shape.bandwidth.reset();
  shape.monitoring.reset();
  if (capabilities.l3) shape.l3 = cache_of(*capabilities.l3, capabilities.cdp, l3_bytes, shape.vendor);
  if (shape.l3) {
    shape.l3->io_allocation = generation == Generation::linux_7 && zen_of(machine.model) == Zen::zen5;
  }
  if (capabilities.l2) shape.l2 = cache_of(*capabilities.l2, false, 1 << 20, shape.vendor);
  if (capabilities.memory) shape.bandwidth = bandwidth_of(*capabilities.memory);
  if (capabilities.slow && generation != Generation::linux_6_1) {
    shape.slow_bandwidth = bandwidth_of(*capabilities.slow);  // Linux 6.1 does not know it
  }
  if (capabilities.monitoring) {
    MonitoringShape monitoring =
        shape.vendor == Vendor::intel ? counters_of_intel(l3_bytes) : counters_of_amd(machine, generation);
    monitoring.rmids = capabilities.monitoring->rmids;
    monitoring.events = capabilities.monitoring->events;
    shape.monitoring = monitoring;
  }
  shape.mount_options = capabilities.mount_options;
  if (!machine.nodes.empty()) shape.node_bytes = machine.nodes.front().memory_bytes;
  return shape;
}

Generation generation_named(const std::string& version) {
  constexpr std::array<std::pair<std::string_view, Generation>, 3> kKnown = {
      {{"6.1", Generation::linux_6_1}, {"6.12", Generation::linux_6_12}, {"7", Generation::linux_7}}};
  for (const auto& [name, generation] : kKnown) {
    if (version == name) return generation;
  }
  throw Error(ErrorCode::usage, "there is no model of Linux " + version + ": 6.1, 6.12 and 7 there are");
}

}  // namespace bulkhead::sim
