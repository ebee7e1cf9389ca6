// SPDX-License-Identifier: Apache-2.0
// Steps as people are shown them.
#pragma once

#include <string>
#include <vector>

#include "controller/cli/style.h"
#include "controller/planner/step.h"

namespace bulkhead {

// Numbered lines, long ones wrapped.
std::string steps_text(const std::vector<Step>& steps, const Style& style);

}  // namespace bulkhead
