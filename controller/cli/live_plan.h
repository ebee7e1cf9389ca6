// SPDX-License-Identifier: Apache-2.0
// A plan for this host with what would have to change, as plan and apply show it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "controller/cli/live_host.h"
#include "controller/cli/style.h"
#include "controller/engine/engine.h"

namespace bulkhead {

struct LivePlan {
  Proposal proposal;
};

// Reads only. What could not be read is among the plan's notes.
LivePlan propose_live(LiveHost& host, const PolicySource& source);

std::string live_plan_text(const LivePlan& plan, const LiveHost& host, const Style& style);
nlohmann::ordered_json live_plan_json(const LivePlan& plan);

}  // namespace bulkhead
