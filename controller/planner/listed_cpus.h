// SPDX-License-Identifier: Apache-2.0
// CPUs named by id: "nodes 0", "CCDs 0-5", "CPUs 3,7".
#pragma once

#include <string>

#include "controller/topology/machine.h"
#include "policies/policy.h"

namespace bulkhead {

// The online CPUs of a listed want. Throws Error(infeasible) for ids that the machine does not have, saying
// which it has, and for CPUs that were named and are offline.
CpuSet listed_cpus(const CpuWant& want, const Machine& machine, const std::string& service);

// The memory nodes that a service may use; empty where the policy leaves them alone.
CpuSet memory_nodes(const MemoryWant& want, const Machine& machine, const CpuSet& cpus,
                    const std::string& service);

}  // namespace bulkhead
