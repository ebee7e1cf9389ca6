// SPDX-License-Identifier: Apache-2.0
// Whether the hardware has ids for all groups: a CLOSID for each control group, an RMID for each group.
#pragma once

#include "controller/planner/grouping.h"

namespace bulkhead {

// Throws Error(infeasible) at the first service whose control group finds no CLOSID. It names who holds them,
// and which services could share one because their wants are the closest.
void require_closids(const Grouping& grouping, const Policy& policy, const Machine& machine,
                     const Capabilities& capabilities, const Tenants& tenants);

// The same for RMIDs, of which every group takes one, whether it allocates or only monitors.
void require_rmids(const Plan& plan, const Policy& policy, const Capabilities& capabilities,
                   const Tenants& tenants);

}  // namespace bulkhead
