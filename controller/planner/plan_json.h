// SPDX-License-Identifier: Apache-2.0
// The JSON of `plan --json`: a contract, described by controller/planner/plan.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "controller/planner/plan.h"

namespace bulkhead {

// "actuator" and "waiting" are what the caller knows: a plan for a machine that is not this one has neither.
nlohmann::ordered_json to_json(const Plan& plan, const std::string& actuator,
                               const std::vector<std::string>& waiting);

}  // namespace bulkhead
