// SPDX-License-Identifier: Apache-2.0
// What of a plan libpqos has no words for. Pure.
#pragma once

#include "controller/planner/observed.h"
#include "controller/planner/plan.h"
#include "controller/pqos/abilities.h"

namespace bulkhead {

// Throws Error(infeasible) that names the part of the plan and says what would be right.
void refuse_inexpressible(PqosInterface interface, const Plan& plan, const Observed& now);

}  // namespace bulkhead
