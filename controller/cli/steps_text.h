// SPDX-License-Identifier: Apache-2.0
// Steps as people and programs are shown them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/cli/style.h"
#include "controller/planner/step.h"

namespace bulkhead {

// Numbered lines, long ones wrapped.
std::string steps_text(const std::vector<Step>& steps, const Style& style);

// A list of steps as the journal has them, each with "description".
nlohmann::ordered_json steps_json(const std::vector<Step>& steps);

}  // namespace bulkhead
