// SPDX-License-Identifier: Apache-2.0
// Policy + machine -> plan. Pure: no I/O, no clock, no environment; the same input gives the same plan.
#pragma once

#include <string>
#include <vector>

#include "controller/planner/plan.h"
#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"
#include "policies/policy.h"

namespace bulkhead {

// A control group that is not ours. It is never touched; what it holds is not to be had.
struct ForeignGroup {
  std::string name;
  CpuSet cpus;             // in its cpus_list
  Schemata schemata;       // masks only matter for exclusivity
  bool exclusive = false;  // its mode is exclusive: its ways are refused to everybody
  unsigned monitoring_groups = 0;
};

struct Tenants {
  std::vector<ForeignGroup> groups;
  Schemata default_group;                  // as it stood before Bulkhead: it is narrowed, not widened
  CpuSet monitored_cpus;                   // CPUs in foreign monitoring groups of the default group
  unsigned default_monitoring_groups = 0;  // foreign ones of the default group
};

// Throws Error(infeasible) that names what is short, who holds it and what would fit, or Error(unsupported)
// with the remedy where the host lacks a feature; both with the place in the policy (file left empty).
Plan make_plan(const Policy& policy, const Machine& machine, const Capabilities& capabilities,
               const Tenants& tenants = {});

}  // namespace bulkhead
