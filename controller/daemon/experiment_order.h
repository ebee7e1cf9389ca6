// SPDX-License-Identifier: Apache-2.0
// What experiment.start asks for.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "controller/experiment/experiment_input.h"

namespace bulkhead {

// Throws Error: where the experiment or one of its policies is wrong, a policy is missing or belongs to no
// arm, or its folder is not there, and Error(permission) where it would have root run a command or read a
// file for somebody else.
ExperimentInput experiment_order(const nlohmann::json& parameters, unsigned uid);

}  // namespace bulkhead
