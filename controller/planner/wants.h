// SPDX-License-Identifier: Apache-2.0
// What each service wants of a control group, with its class resolved, and whether the host can give it.
#pragma once

#include <string>
#include <vector>

#include "controller/topology/capabilities.h"
#include "policies/policy.h"

namespace bulkhead {

struct Wants {
  const CacheWant* l3 = nullptr;  // points into the policy
  const BandwidthWant* bandwidth = nullptr;
  bool own_group = false;   // it needs a control group other than the default one
  bool takes_cpus = false;  // that group takes CPUs, not tasks
};

bool is_limited(const BandwidthAmount& amount);

// The service that selects the default group; null if none does.
const Service* find_others(const Policy& policy);

// By service, in the policy's order. Throws Error(unsupported) with the remedy for what the host cannot do.
std::vector<Wants> resolve_wants(const Policy& policy, const Capabilities& capabilities);

}  // namespace bulkhead
