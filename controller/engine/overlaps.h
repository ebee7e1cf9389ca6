// SPDX-License-Identifier: Apache-2.0
// A thread has one group and a process one cgroup: services must not mean the same ones.
#pragma once

#include "controller/planner/observed.h"
#include "policies/policy.h"

namespace bulkhead {

// Throws Error(infeasible) with the place of the later service if two select the same process, or a cgroup
// inside the other's. `now` has the services of `policy`. "others" is what is left and overlaps with nobody.
void refuse_overlaps(const Policy& policy, const Observed& now);

}  // namespace bulkhead
