// SPDX-License-Identifier: Apache-2.0
// Narrowing of chosen CPUs: a part of each CCD's cores, a part of each core's threads.
#pragma once

#include <string>

#include "controller/topology/machine.h"
#include "policies/policy.h"

namespace bulkhead {

// `cpus` narrowed as the want says. Cores are counted among `cpus` only, the first ones are kept; cores
// without an L3 belong to no CCD and are left out by cores_per_ccd. Throws Error(infeasible) where there are
// fewer.
CpuSet narrow_cpus(const CpuWant& want, const Machine& machine, const CpuSet& cpus,
                   const std::string& service);

}  // namespace bulkhead
