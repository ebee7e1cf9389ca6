// SPDX-License-Identifier: Apache-2.0
// What passes between Bulkhead and the process that libpqos runs in. Values only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/monitor/reading.h"
#include "controller/planner/observed.h"
#include "controller/planner/plan.h"

namespace bulkhead {

// How libpqos reaches the hardware. Its third way, to choose by itself, ends the process where there is no
// cache control (double free), and is never used.
enum class PqosInterface { msr, os };

inline std::string_view to_string(PqosInterface interface) {
  return interface == PqosInterface::msr ? "msr" : "os";
}

// What its own tables have room for.
inline constexpr unsigned kMostPqosClasses = 16;
// AMD's largest bandwidth value is this constant to it, whatever the hardware says.
inline constexpr std::uint32_t kLargestPqosBandwidthOnAmd = 2048;
// Ids of L3 caches from here on are mistaken for others, since they are kept as bits of a 32-bit number.
inline constexpr unsigned kPqosCacheIds = 32;

struct PqosCache {
  unsigned classes = 0;
  unsigned ways = 0;
  std::uint64_t shareable = 0;
  bool cdp = false;  // on
  bool operator==(const PqosCache&) const = default;
};

struct PqosBandwidth {
  unsigned classes = 0;
  std::uint32_t min = 1;
  std::uint32_t step = 1;
  std::uint32_t unlimited = 0;
  bool operator==(const PqosBandwidth&) const = default;
};

struct PqosCpu {
  unsigned cpu = 0;
  unsigned l3_id = 0;         // where its L3 masks are set
  unsigned bandwidth_id = 0;  // where its bandwidth is set
  bool operator==(const PqosCpu&) const = default;
};

// What a count of an event is in.
struct PqosUnit {
  CounterEvent event = CounterEvent::llc_occupancy;
  std::uint32_t bytes = 1;
  unsigned bits = 64;  // after which it wraps
  bool operator==(const PqosUnit&) const = default;
};

struct PqosAbilities {
  bool amd = false;
  std::optional<PqosCache> l3;
  std::optional<PqosBandwidth> memory;
  std::vector<PqosUnit> counters;  // none where it cannot count
  std::vector<PqosCpu> cpus;
  bool operator==(const PqosAbilities&) const = default;
};

// A class of service, COSn; class 0 is everybody's who is in no other.
struct PqosClass {
  unsigned number = 0;
  Schemata schemata;
  CpuSet cpus;  // none in class 0
  std::vector<ObservedMonitoringGroup> monitoring;  // others' groups in it; resctrl alone has such
  bool operator==(const PqosClass&) const = default;
};

// What CPUs that are counted together have on the registers.
struct PqosCount {
  unsigned id = 0;
  std::array<Reading, kCounterEvents.size()> readings;  // by CounterEvent, in its PqosUnit
  bool operator==(const PqosCount&) const = default;
};

}  // namespace bulkhead
