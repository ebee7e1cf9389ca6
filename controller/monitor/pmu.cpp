// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/pmu.h"

#include <array>
#include <string_view>

#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

constexpr unsigned kZen3Family = 0x19;  // and Zen 4's
constexpr unsigned kZen5Family = 0x1a;

struct Family {
  unsigned family = 0;
  unsigned model = 0;

  // In family 0x19, these models are Zen 3, and all others Zen 4.
  bool is_zen4_or_later() const {
    const unsigned row = model >> 4;
    const bool zen3 = row == 0 || row == 2 || row == 4 || row == 5;
    return family >= kZen5Family || (family == kZen3Family && !zen3);
  }
};

std::optional<unsigned> number_after(std::string_view cpuinfo, std::string_view key) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != key) continue;
    return parse_integer<unsigned>(trim(line.substr(colon + 1)));
  }
  return std::nullopt;
}

Family family_of(FileSystem& files) {
  const auto proc = files.open_directory_if_there(std::string(paths::kProc));
  const std::string text = proc ? proc->read_if_there("cpuinfo").value_or("") : "";
  return {number_after(text, "cpu family").value_or(0), number_after(text, "model").value_or(0)};
}

std::optional<std::uint32_t> type_of(Directory& devices, const std::string& pmu) {
  const auto text = devices.read_if_there(pmu + "/type");
  return text ? parse_integer<std::uint32_t>(trim(*text)) : std::nullopt;
}

CpuSet cpus_in(Directory& devices, const std::string& file, const CpuSet& otherwise) {
  const auto text = devices.read_if_there(file);
  return text ? CpuSet::parse_list(*text) : otherwise;
}

std::vector<CorePmu> find_cores(Directory& devices, const CpuSet& online) {
  constexpr std::array<std::string_view, 3> kNames{"cpu", "cpu_core", "cpu_atom"};
  std::vector<CorePmu> found;
  for (const std::string_view name : kNames) {
    const std::string pmu(name);
    const auto type = type_of(devices, pmu);
    if (type) found.push_back({pmu, *type, cpus_in(devices, pmu + "/cpus", online)});
  }
  return found;
}

// `unit_mask` 0 is of events that have none.
PmuEvent event(std::string name, std::string_view code, std::uint64_t number, std::uint64_t unit_mask = 0) {
  constexpr unsigned kUnitMaskShift = 8;
  return {std::move(name), std::string(code), number | unit_mask << kUnitMaskShift};
}

void choose_service_events(Pmu& pmu, const std::string& vendor, const Family& family) {
  if (vendor == "amd") {
    pmu.service_events = {event("cycles", "0x76", 0x76), event("instructions", "0xc0", 0xc0)};
    if (family.family >= kZen3Family) {
      pmu.service_events.push_back(event("dram_fills", "0x44/0x48", 0x44, 0x48));
    } else {
      pmu.service_lack = "what services fill from memory is not counted: that takes Zen 3 or later";
    }
  } else if (vendor == "intel") {
    pmu.service_events = {event("cycles", "0x3c", 0x3c), event("instructions", "0xc0", 0xc0),
                          event("llc_references", "0x2e/0x4f", 0x2e, 0x4f),
                          event("llc_misses", "0x2e/0x41", 0x2e, 0x41)};
  } else {
    pmu.cores.clear();
    pmu.service_lack = "cycles, instructions and misses of services are not counted: the events of " +
                       (vendor.empty() ? "this processor" : "processors of " + vendor) + " are not known";
  }
}

void find_core_events(Pmu& pmu, Directory* devices, const Machine& machine, const Family& family) {
  if (devices != nullptr) pmu.cores = find_cores(*devices, machine.cpus);
  if (pmu.cores.empty()) {
    pmu.service_lack =
        "cycles, instructions and misses of services are not counted: the kernel shows no performance "
        "counters "
        "of CPUs; in a virtual machine the hypervisor has to pass them on";
    return;
  }
  choose_service_events(pmu, machine.vendor, family);
}

void find_l3_events(Pmu& pmu, Directory* devices, const Machine& machine, const Family& family) {
  constexpr const char* kName = "amd_l3";
  if (machine.vendor != "amd") {
    pmu.ccd_lack = "lookups and misses are not counted per CCD: that takes the PMU amd_l3 of AMD processors";
    return;
  }
  const auto type = devices == nullptr ? std::nullopt : type_of(*devices, kName);
  if (!type) {
    pmu.ccd_lack =
        "lookups and misses are not counted per CCD: there is no PMU amd_l3; it takes the kernel's module "
        "amd-uncore, and virtual machines have none";
    return;
  }
  const CpuSet cpus = cpus_in(*devices, std::string(kName) + "/cpumask", {});
  if (cpus.empty()) {
    pmu.ccd_lack = "lookups and misses are not counted per CCD: amd_l3 names no CPU to read it on";
    return;
  }
  pmu.l3 = L3Pmu{*type, cpus};
  pmu.ccd_events = {event("l3_lookups", "0x04/0xff", 0x04, 0xff),
                    family.is_zen4_or_later() ? event("l3_misses", "0x04/0x01", 0x04, 0x01)
                                              : event("l3_misses", "0x06/0x01", 0x06, 0x01)};
}

}  // namespace

Pmu find_pmu(FileSystem& files, const Machine& machine) {
  const auto devices = files.open_directory_if_there(std::string(paths::kEventSources));
  const auto proc = files.open_directory_if_there(std::string(paths::kProc));
  const Family family = family_of(files);
  Pmu pmu;
  const auto paranoid = proc ? proc->read_if_there("sys/kernel/perf_event_paranoid") : std::nullopt;
  if (paranoid) pmu.paranoid = parse_integer<int>(trim(*paranoid));
  find_core_events(pmu, devices.get(), machine, family);
  find_l3_events(pmu, devices.get(), machine, family);
  return pmu;
}

}  // namespace bulkhead
