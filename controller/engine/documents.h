// SPDX-License-Identifier: Apache-2.0
// The engine's results as JSON: what `bulkhead --json` prints and the API answers, the same for both.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "controller/engine/engine.h"

namespace bulkhead {

// A list of steps as the journal has them, each with "description".
nlohmann::ordered_json steps_json(const std::vector<Step>& steps);

// The plan (see controller/planner/plan.schema.json) with the "steps" that are missing.
nlohmann::ordered_json proposal_json(const Proposal& proposal);

// Of an apply, an attach or a detach. The plan is that of the proposal, null where there was none.
nlohmann::ordered_json applied_json(const Outcome& outcome, const Proposal* proposal);
nlohmann::ordered_json reset_json(const Outcome& outcome);

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings);
nlohmann::ordered_json verification_json(const Verification& result);
nlohmann::ordered_json status_json(const State& state, const Verification& found);

// Where no policy is in force.
nlohmann::ordered_json no_status_json(const std::vector<std::string>& leftovers);

}  // namespace bulkhead
