// SPDX-License-Identifier: Apache-2.0
// Steps as JSON, for the journal and for `plan --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "controller/planner/step.h"

namespace bulkhead {

nlohmann::ordered_json to_json(const Step& step);
Step step_from_json(const nlohmann::ordered_json& json);  // throws Error(invalid)

}  // namespace bulkhead
