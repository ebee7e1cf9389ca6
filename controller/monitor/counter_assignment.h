// SPDX-License-Identifier: Apache-2.0
// ABMC: bandwidth is counted only for groups to which one of the few counters of a CCD is assigned. New
// groups get some as long as there are any; groups of ours that got none can have those that became free
// since.
#pragma once

#include <string>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/monitor/snapshot.h"

namespace bulkhead {

struct AssignmentOutcome {
  std::vector<std::string> assigned;  // groups that got what they lacked on some CCD
  std::string lack;  // who got none, how many there are and who holds them; empty: nobody lacks any
  bool operator==(const AssignmentOutcome&) const = default;
};

// Whether a group of ours reads Unassigned.
bool lacks_counters(const Snapshot& counters);

// Assigns free counters to groups of ours (names that begin with "bulkhead.") that have none: total bandwidth
// of all of them first, then local. Never to groups of others, nor to the default group. `groups` are all
// that there are. Writes under the lock on `resctrl`, its root; nothing where somebody else holds it, or
// where counters are not assigned on this host.
AssignmentOutcome assign_counters(Directory& resctrl, const std::vector<CounterGroup>& groups);

}  // namespace bulkhead
