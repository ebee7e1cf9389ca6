// SPDX-License-Identifier: Apache-2.0
// In which order masks are written.
#pragma once

#include <vector>

#include "controller/planner/plan.h"
#include "controller/planner/step.h"

namespace bulkhead {

struct Resize {
  Step step;
  Schemata before;  // empty for a group that is new: nobody is in it yet
  Schemata after;
};

// A group that gives ways up comes before one that takes them, so that an owner never shares what the plan
// says is its own for longer than needed. Groups that swap ways come in the given order. Stable otherwise.
std::vector<Step> in_safe_order(std::vector<Resize> resizes);

}  // namespace bulkhead
