// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/cpuinfo_file.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "controller/base/text.h"
#include "simulator/kernel_model/processor_kind.h"

namespace bulkhead::sim {
namespace {

struct Package {
  unsigned threads = 0;
  std::set<unsigned> cores;
};

// Of resctrl's flags those that the host has not.
std::set<std::string_view> missing_flags(const KernelShape& shape) {
  const bool counts_anything = shape.monitoring.has_value();
  const auto counts = [&](const char* event) {
    return counts_anything &&
           std::ranges::find(shape.monitoring->events, event) != shape.monitoring->events.end();
  };
  const std::pair<std::string_view, bool> features[] = {
      {"cat_l3", shape.l3.has_value()},
      {"cdp_l3", shape.l3 && shape.l3->cdp_capable},
      {"cat_l2", shape.l2.has_value()},
      {"cdp_l2", shape.l2 && shape.l2->cdp_capable},
      {"mba", shape.bandwidth.has_value()},
      {"rdt_a", shape.allocates()},
      {"cqm", counts_anything},
      {"cqm_llc", counts_anything},
      {"cqm_occup_llc", counts("llc_occupancy")},
      {"cqm_mbm_total", counts("mbm_total_bytes")},
      {"cqm_mbm_local", counts("mbm_local_bytes")},
  };
  std::set<std::string_view> missing;
  for (const auto& [flag, present] : features) {
    if (!present) missing.insert(flag);
  }
  return missing;
}

std::string flags_of(const KernelShape& shape, const ProcessorKind& kind) {
  const std::set<std::string_view> missing = missing_flags(shape);
  std::string text;
  for (const std::string_view flag : split(kind.flags, ' ')) {
    if (missing.contains(flag)) continue;
    if (!text.empty()) text += ' ';
    text += flag;
  }
  return text;
}

std::map<unsigned, Package> packages_of(const KernelShape& shape, const CpuSet& online) {
  std::map<unsigned, Package> packages;
  for (const CpuPlace& place : shape.cpus) {
    if (!online.contains(place.cpu)) continue;
    Package& package = packages[place.socket];
    ++package.threads;
    package.cores.insert(place.core);
  }
  return packages;
}

// Each level has as many bits as it takes: threads, cores of an L3, and the L3's id, which Linux has from
// here.
std::vector<unsigned> apic_ids(const KernelShape& shape) {
  std::map<unsigned, std::map<unsigned, unsigned>> threads_of;  // L3 -> core -> how many
  for (const CpuPlace& place : shape.cpus) ++threads_of[place.l3][place.core];
  std::size_t most_cores = 1;
  unsigned most_threads = 1;
  for (const auto& [l3, cores] : threads_of) {
    most_cores = std::max(most_cores, cores.size());
    for (const auto& [core, threads] : cores) most_threads = std::max(most_threads, threads);
  }
  const unsigned slots_of_core = std::bit_ceil(most_threads);
  const unsigned slots_of_l3 = std::bit_ceil(static_cast<unsigned>(most_cores) * slots_of_core);
  std::map<std::pair<unsigned, unsigned>, unsigned> seen;  // threads of L3 and core so far
  std::vector<unsigned> ids;
  for (const CpuPlace& place : shape.cpus) {
    const auto& cores = threads_of[place.l3];
    const auto core = static_cast<unsigned>(std::distance(cores.begin(), cores.find(place.core)));
    ids.push_back(place.l3 * slots_of_l3 + core * slots_of_core + seen[{place.l3, place.core}]++);
  }
  return ids;
}

// What is behind all that is each CPU's own.
std::string common_text(const KernelShape& shape, const Processor& processor) {
  constexpr unsigned kTwice = 2;  // what the kernel's loop makes of the clock
  const ProcessorKind& kind = *processor.kind;
  std::string text =
      "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: " + std::to_string(kind.cpuid_level) +
      "\nwp\t\t: yes\nflags\t\t: " + flags_of(shape, kind);
  if (!kind.virtualisation.empty()) text += "\nvmx flags\t: " + std::string(kind.virtualisation);
  text += "\nbugs\t\t: " + std::string(kind.bugs) +
          "\nbogomips\t: " + std::to_string(processor.mhz * kTwice) + ".00\n";
  if (!kind.tlb.empty()) text += "TLB size\t: " + std::string(kind.tlb) + '\n';
  text += "clflush size\t: 64\ncache_alignment\t: 64\naddress sizes\t: " + std::string(kind.address_sizes) +
          "\npower management:";
  if (!kind.power.empty()) text += ' ' + std::string(kind.power);
  return text + "\n\n";
}

// The last level that CPUID tells: AMD's leaf has the L2 there.
std::uint64_t cache_kib(const KernelShape& shape, const ProcessorKind& kind) {
  constexpr std::uint64_t kKib = 1024;
  return shape.vendor == Vendor::amd ? kind.l2.kib : shape.l3.value_or(CacheShape{}).bytes / kKib;
}

}  // namespace

std::string cpuinfo_text(const KernelShape& shape, const CpuSet& online) {
  const Processor processor = processor_of(shape);
  const ProcessorKind& kind = *processor.kind;
  const auto number = [](auto value) { return std::to_string(value); };
  const std::string model =
      std::string("\nvendor_id\t: ") + (shape.vendor == Vendor::amd ? "AuthenticAMD" : "GenuineIntel") +
      "\ncpu family\t: " + number(kind.family) + "\nmodel\t\t: " + number(kind.model) +
      "\nmodel name\t: " + shape.processor + "\nstepping\t: " + number(kind.stepping) +
      "\nmicrocode\t: " + std::string(kind.microcode) + "\ncpu MHz\t\t: " + number(processor.mhz) +
      ".000\ncache size\t: " + number(cache_kib(shape, kind)) + " KB\nphysical id\t: ";
  const std::string common = common_text(shape, processor);
  const std::map<unsigned, Package> packages = packages_of(shape, online);
  const std::vector<unsigned> apic = apic_ids(shape);
  std::string text;
  for (std::size_t index = 0; index < shape.cpus.size(); ++index) {
    const CpuPlace& place = shape.cpus[index];
    if (!online.contains(place.cpu)) continue;
    const Package& package = packages.at(place.socket);
    text += "processor\t: " + number(place.cpu) + model + number(place.socket) +
            "\nsiblings\t: " + number(package.threads) + "\ncore id\t\t: " + number(place.core) +
            "\ncpu cores\t: " + number(package.cores.size()) + "\napicid\t\t: " + number(apic[index]) +
            "\ninitial apicid\t: " + number(apic[index]) + '\n' + common;
  }
  return text;
}

}  // namespace bulkhead::sim
