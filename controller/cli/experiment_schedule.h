// SPDX-License-Identifier: Apache-2.0
// What an experiment will do, and how long it takes, before it begins. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "controller/cli/style.h"
#include "controller/experiment/result.h"
#include "policies/experiment.h"

namespace bulkhead {

// Arms, windows, the first blocks, and how long it takes.
std::string schedule_text(const Experiment& experiment, const Style& style);

// The same for programs. `described` has the arms with their plans for this host.
nlohmann::ordered_json schedule_json(const Experiment& experiment, const ExperimentResult& described);

}  // namespace bulkhead
