// SPDX-License-Identifier: Apache-2.0
// The doctor's checks, one subject each; each adds what it finds.
#pragma once

#include <vector>

#include "controller/host/doctor.h"

namespace bulkhead {

using Findings = std::vector<HostFinding>;

// The host as such.
void check_rights(const HostFacts& facts, Findings& findings);
void check_machine(const HostFacts& facts, Findings& findings);
void check_cgroups(const HostFacts& facts, Findings& findings);
void check_leftovers(const HostFacts& facts, Findings& findings);

// What counts, beyond the names of resctrl's events.
void check_counters(const HostFacts& facts, Findings& findings);

// resctrl; the last four only where it is mounted.
void check_resctrl(const HostFacts& facts, Findings& findings);
void check_cache(const HostFacts& facts, Findings& findings);
void check_bandwidth(const HostFacts& facts, Findings& findings);
void check_monitoring(const HostFacts& facts, Findings& findings);
void check_groups(const HostFacts& facts, Findings& findings);

}  // namespace bulkhead
