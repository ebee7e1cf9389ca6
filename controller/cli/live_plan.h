// SPDX-License-Identifier: Apache-2.0
// A plan for this host with what would have to change, as plan and apply show it.
#pragma once

#include <string>

#include "controller/cli/style.h"
#include "controller/engine/engine.h"

namespace bulkhead {

std::string live_plan_text(const Proposal& proposal, const Machine& machine, const Style& style);

}  // namespace bulkhead
