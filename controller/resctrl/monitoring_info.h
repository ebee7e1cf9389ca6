// SPDX-License-Identifier: Apache-2.0
// How the mounted resctrl counts: info/L3_MON beyond what plans need.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/identifiers.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

struct MonitoringInfo {
  std::vector<std::string> events;
  unsigned rmids = 0;
  // Bytes of cache that a freed RMID may still count when it is given to a new group. Until then it is in
  // limbo.
  std::optional<std::uint64_t> reuse_threshold;
  std::vector<std::string> configurable;  // BMEC: bandwidth events that can be set to other transactions

  // ABMC: "mbm_event" while bandwidth is counted for groups with assigned counters only; empty on kernels
  // that do not know it.
  std::string assign_mode;
  std::vector<std::string> assign_modes;  // all that this host has
  std::map<CacheId, unsigned> counters;   // of each CCD; empty where none can be assigned
  std::map<CacheId, unsigned> available;  // of these, not assigned; only in that mode

  bool summed = false;  // SNC: a CCD's values are sums over clusters

  bool assigns() const { return assign_mode == "mbm_event"; }
  bool operator==(const MonitoringInfo&) const = default;
};

// Nothing where nothing is monitored.
std::optional<MonitoringInfo> read_monitoring_info(Directory& resctrl);

}  // namespace bulkhead
