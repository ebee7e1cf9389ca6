// SPDX-License-Identifier: Apache-2.0
// What the performance counters say, for `watch --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "controller/monitor/perf_counters.h"

namespace bulkhead {

// {"events": {"cycles": "0x76", ...},
//  "services": [{"service", "cycles", "instructions", "ipc", "dram_fills" or "llc_references" and
//                "llc_misses", "counted_share", "no_data": {...}}],
//  "ccds": [{"ccd", "l3_lookups", "l3_misses", "l3_miss_ratio", "counted_share", "no_data": {...}}],
//  "lacking": [...]}
// Events a second; null where there is no data, and then "no_data" has the word for it by name. Events that
// this host cannot count are left out.
nlohmann::ordered_json perf_json(const PerfCounters& counters);

}  // namespace bulkhead
