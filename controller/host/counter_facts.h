// SPDX-License-Identifier: Apache-2.0
// What counts on a host: resctrl's counters, and those of processors. Values only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "controller/monitor/pmu.h"
#include "controller/resctrl/monitoring_info.h"

namespace bulkhead {

struct CounterFacts {
  std::optional<MonitoringInfo> monitoring;
  std::size_t held_rmids = 0;  // by groups, the default one included
  Pmu pmu;
  std::vector<std::string> refusals;  // why we may not count with it, and the remedy
};

}  // namespace bulkhead
