// SPDX-License-Identifier: Apache-2.0
// What the performance counters say, as tables of `watch`. Pure.
#pragma once

#include <string>

#include "controller/cli/style.h"
#include "controller/monitor/perf_counters.h"

namespace bulkhead {

// Begins with an empty line; empty where there is nothing to say.
std::string perf_text(const PerfCounters& counters, const Style& style);

}  // namespace bulkhead
