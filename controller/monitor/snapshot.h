// SPDX-License-Identifier: Apache-2.0
// What the counters say now, as values for those who show or judge it.
#pragma once

#include <array>
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/monitor/sampler.h"

namespace bulkhead {

struct CcdCounters {
  CacheId ccd;
  std::array<Reading, kCounterEvents.size()> readings;  // by CounterEvent; what the kernel said last
  Measured occupancy;                                   // bytes
  Measured total, local;                                // bytes a second

  const Reading& reading(CounterEvent event) const { return readings[static_cast<std::size_t>(event)]; }
  bool operator==(const CcdCounters&) const = default;
};

struct GroupCounters {
  std::string path;
  std::vector<CcdCounters> ccds;

  const CcdCounters* find(CacheId ccd) const;
  bool operator==(const GroupCounters&) const = default;
};

struct Snapshot {
  std::vector<GroupCounters> groups;
  std::vector<CounterEvent> events;  // that this host has
  std::vector<CacheId> summed;       // see CounterShape

  const GroupCounters* find(const std::string& path) const;
};

// Rates are means over at most `window`.
Snapshot snapshot(const Sampler& sampler, std::chrono::nanoseconds window);

// A sum over CCDs: no data only where no CCD has any; how many had none is counted.
struct Sum {
  Measured sum;
  std::size_t without_data = 0;
};
Sum sum_of(const GroupCounters& group, Measured CcdCounters::*what);

// {"group", "ccds": [{"ccd", "llc_occupancy", "mbm_total_bytes", "mbm_local_bytes", "total_bandwidth",
// "local_bandwidth", "no_data": {...}}]}: bytes, and bytes a second; null where there is no data, and then
// "no_data" has the word for it by name. Events that the host lacks are left out.
nlohmann::ordered_json counters_json(const GroupCounters& group, const std::vector<CounterEvent>& events);

// The same back, of all groups, with the events that any has. Throws nlohmann::json::exception for what that
// did not write.
Snapshot snapshot_of(const nlohmann::ordered_json& groups);

}  // namespace bulkhead
