// SPDX-License-Identifier: Apache-2.0
// Counters as JSON: a line of `bulkhead watch --json`, and what the API's counters.read answers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/base/utc.h"
#include "controller/engine/outcomes.h"
#include "controller/monitor/snapshot.h"

namespace bulkhead {

// What the policy in force calls a group: its service, or several; empty for none.
std::vector<std::string> services_of(const std::string& group, const Plan& plan);

// {"time", "policy", "holds", "groups": [counters_json with "services"], "summed_ccds", "uncounted"}. `found` is
// null where no policy is in force; then so are "policy" and "holds". `uncounted`: which groups of ours lack
// counters, and why; empty for none.
nlohmann::ordered_json counters_document(const Snapshot& counters, const Verification* found, WallTime at,
                                         const std::string& uncounted);

}  // namespace bulkhead
