// SPDX-License-Identifier: Apache-2.0
// CPUs that the planner places: "6 CCDs within a node".
#pragma once

#include <string>
#include <vector>

#include "controller/planner/refusal.h"
#include "controller/topology/machine.h"
#include "policies/policy.h"

namespace bulkhead {

// The CPUs of a counted want, taken from units (sockets, nodes, CCDs, cores, CPUs) that no holder has any CPU
// of. Best fit: the domain with the fewest free units that suffices, ties by the lowest id; in it the lowest
// ids. Cores and CPUs fill whole CCDs, and else the CCD with the fewest free that suffices, so that other
// CCDs stay whole; CPUs take whole cores first. Cores without an L3 come last. Throws Error(infeasible) that
// says how many are free where, who holds the rest, and how many would fit.
CpuSet counted_cpus(const CpuWant& want, const Machine& machine, const std::vector<CpuHolder>& holders,
                    const std::string& service);

}  // namespace bulkhead
