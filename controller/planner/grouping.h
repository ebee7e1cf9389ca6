// SPDX-License-Identifier: Apache-2.0
// Which services share a control group, and so a CLOSID.
#pragma once

#include <string>
#include <vector>

#include "controller/planner/cpu_choice.h"
#include "controller/planner/planner.h"
#include "controller/planner/wants.h"

namespace bulkhead {

struct GroupDraft {
  std::string name;                   // "bulkhead.NAME", empty for the default group
  std::vector<std::size_t> services;  // positions in the policy
  const CacheWant* l3 = nullptr;
  const BandwidthWant* bandwidth = nullptr;
  bool l3_exclusive = false;
  bool takes_cpus = false;
  CpuSet cpus;                // where its services may run; for the default group also everything unselected
  std::vector<CacheId> ccds;  // that these CPUs are in, among those that can be allocated; ascending
};

struct Grouping {
  std::vector<GroupDraft> named;  // in order of their first service
  GroupDraft default_group;
};

// Services with equal wants on equal CCDs share a group, unless their ways are exclusive. Throws
// Error(infeasible) where two groups want to take the same CPUs, or one that a foreign group took.
Grouping group_services(const Policy& policy, const std::vector<Wants>& wants, const CpuChoices& cpus,
                        const Machine& machine, const Capabilities& capabilities, const Tenants& tenants);

// Whose group it is, as messages name it: "web", "bulk and batch", "others".
std::string owners(const GroupDraft& group, const Policy& policy);

}  // namespace bulkhead
