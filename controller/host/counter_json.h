// SPDX-License-Identifier: Apache-2.0
// The counters of a host for `doctor --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "controller/host/counter_facts.h"

namespace bulkhead {

// {"events", "rmids": {"all", "held", "reuse_threshold_bytes"}, "configurable", "summed",
//  "assignment": {"mode", "modes", "counters": {CCD: n}, "available": {CCD: n}},
//  "perf": {"services": {event: code}, "ccds": {event: code}, "perf_event_paranoid", "lacking": [...]}}
// Null where a host has nothing of the kind.
nlohmann::ordered_json counters_json(const CounterFacts& counters);

}  // namespace bulkhead
