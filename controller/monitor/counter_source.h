// SPDX-License-Identifier: Apache-2.0
// Where readings come from: resctrl's mon_data, or libpqos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/identifiers.h"
#include "controller/monitor/reading.h"

namespace bulkhead {

struct CounterGroup {
  std::string path;      // as controller/resctrl/group_path.h has it; empty for the default group
  std::uint64_t id = 0;  // another one where a group was removed and made again: its counts began anew
  bool operator==(const CounterGroup&) const = default;
};

// A control group that somebody else has looked up.
struct CountedGroup {
  std::string path;
  std::string folder;  // in resctrl, where libpqos calls it otherwise
  CpuSet cpus;
  bool ours = true;  // false: somebody else's, of which only sources that count it anyway tell
  bool operator==(const CountedGroup&) const = default;
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

  // Which groups the policy in force has; sources that find groups by themselves learn their names. True
  // where the shape is another now: then a rescan is due.
  virtual bool follow(const std::vector<CountedGroup>&) { return false; }

  // Looks which groups and CCDs there are now. Whether the shape is another than before.
  virtual bool rescan() = 0;

  // Of one group, in the order of shape().ccds; `into` has room for these. Never throws for one counter's
  // sake. False if the group has gone: then a rescan is due.
  virtual bool read(CounterEvent event, std::size_t group, std::span<Reading> into) = 0;

  // Gives counters that are free to groups of ours that read Unassigned. Which of them still have none, and
  // why; empty: nobody lacks any.
  virtual std::string assign_free() { return {}; }

  // Why nothing can be counted; empty where something is.
  virtual std::string lack() const { return {}; }

  // Gives back what counting holds of the hardware, until it goes on with the next rescan.
  virtual void rest() {}
};

}  // namespace bulkhead
