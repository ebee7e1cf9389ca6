// SPDX-License-Identifier: Apache-2.0
// Which CPUs each service gets.
#pragma once

#include <vector>

#include "controller/planner/planner.h"
#include "controller/planner/refusal.h"
#include "controller/planner/wants.h"

namespace bulkhead {

struct CpuChoices {
  std::vector<CpuSet> services;  // by service, in the policy's order
  CpuSet exclusive;              // held by the services with exclusive_cpus
  CpuSet others;                 // where everything that no service selects may run
};

// Listed wants stand fast; counted ones are placed around them, the exclusive before the others and each kind
// in the policy's order; "rest" and "all" come last. Throws Error(infeasible).
CpuChoices choose_cpus(const Policy& policy, const std::vector<Wants>& wants, const Machine& machine,
                       const Tenants& tenants);

// Foreign groups that took any of these CPUs, as messages name them.
std::vector<CpuHolder> foreign_holders(const Tenants& tenants, const CpuSet& cpus);

}  // namespace bulkhead
