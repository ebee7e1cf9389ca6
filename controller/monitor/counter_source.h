// SPDX-License-Identifier: Apache-2.0
// Where readings come from: resctrl's mon_data, or libpqos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "controller/base/identifiers.h"
#include "controller/monitor/reading.h"

namespace bulkhead {

struct CounterGroup {
  std::string path;      // as controller/resctrl/group_path.h has it; empty for the default group
  std::uint64_t id = 0;  // another one where a group was removed and made again: its counts began anew
  bool operator==(const CounterGroup&) const = default;
};

struct CounterShape {
  std::vector<CounterGroup> groups;  // control groups by name, each before its monitoring groups
  std::vector<CacheId> ccds;         // ascending
  std::vector<CounterEvent> events;  // that this host has
  std::vector<CacheId> summed;       // CCDs whose value is the kernel's sum over parts (SNC)
};

class CounterSource {
 public:
  virtual ~CounterSource() = default;

  // As of the latest rescan().
  virtual const CounterShape& shape() const = 0;

  // Looks which groups and CCDs there are now. Whether the shape is another than before.
  virtual bool rescan() = 0;

  // Of one group, in the order of shape().ccds; `into` has room for these. Never throws for one counter's
  // sake. False if the group has gone: then a rescan is due.
  virtual bool read(CounterEvent event, std::size_t group, std::span<Reading> into) = 0;
};

}  // namespace bulkhead
