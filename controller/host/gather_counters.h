// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller/host/counter_facts.h"
#include "controller/host/host_facts.h"
#include "controller/kernel/perf_events.h"

namespace bulkhead {

// What counts on the host that the other facts are of.
CounterFacts gather_counters(FileSystem& files, PerfSystem& perf, const HostFacts& facts);

}  // namespace bulkhead
