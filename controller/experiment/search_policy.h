// SPDX-License-Identifier: Apache-2.0
// A combination of a search as a policy: the template with one service's wants replaced.
#pragma once

#include "controller/experiment/search_space.h"
#include "policies/policy.h"

namespace bulkhead {

// Replaces what the point names: cpus.count.ccds, l3 in ways, bandwidth, threads_per_core. Throws
// Error(invalid) where the template leaves no room for it: no such service, CPUs that are not counted in
// CCDs, cache and bandwidth that belong to a class.
Policy policy_at(const Policy& base, const std::string& service, const SearchPoint& point);

}  // namespace bulkhead
