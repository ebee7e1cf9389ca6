// SPDX-License-Identifier: Apache-2.0
// One look of `watch`, as text and as JSON. Pure.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "controller/base/utc.h"
#include "controller/cli/style.h"
#include "controller/engine/outcomes.h"
#include "controller/monitor/perf_counters.h"
#include "controller/monitor/snapshot.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct Watched {
  WallTime at;
  std::chrono::duration<double> interval{1};  // since the look before
  const Machine* machine = nullptr;
  const Verification* found = nullptr;  // null where no policy is in force
  Snapshot counters;
  const PerfCounters* perf = nullptr;  // null where none are wanted
  std::string unassigned;              // which groups of ours lack counters, and why; empty for none
};

std::string watch_text(const Watched& watched, const Style& style);

// The same as far as counters_document tells: without a picture of the plan.
std::string counters_text(const nlohmann::ordered_json& document, const Style& style);

// counters_document with "interval_seconds", what passed since the line before.
nlohmann::ordered_json watch_json(const Watched& watched);

}  // namespace bulkhead
