// SPDX-License-Identifier: Apache-2.0
// What the performance counters of this host can say, and how its events are called. Chosen by vendor: the
// generic events "cache-misses" and "cache-references" are the L3's on Intel, but the L2's on AMD.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/kernel/file_system.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct PmuEvent {
  std::string name;  // "dram_fills"
  std::string code;  // for people who compare with manuals and perf, "0x44/0x48": event and unit mask
  std::uint64_t config = 0;
  bool operator==(const PmuEvent&) const = default;
};

// Counters of cores; processors with two kinds of core have two.
struct CorePmu {
  std::string name;
  std::uint32_t type = 0;
  CpuSet cpus;
  bool operator==(const CorePmu&) const = default;
};

// Counters of L3 caches, for all cores of each together; they cannot tell services apart.
struct L3Pmu {
  std::uint32_t type = 0;
  CpuSet cpus;  // one of each cache, where it is read
  bool operator==(const L3Pmu&) const = default;
};

struct Pmu {
  std::vector<CorePmu> cores;
  std::vector<PmuEvent> service_events;  // cycles and instructions first
  std::string service_lack;  // what of services is not counted, why, and what would help; else empty
  std::optional<L3Pmu> l3;
  std::vector<PmuEvent> ccd_events;  // lookups and misses
  std::string ccd_lack;
  std::optional<int> paranoid;  // perf_event_paranoid, which says who may count
};

Pmu find_pmu(FileSystem& files, const Machine& machine);

}  // namespace bulkhead
