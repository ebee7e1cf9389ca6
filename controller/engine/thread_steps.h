// SPDX-License-Identifier: Apache-2.0
// Which threads belong where, and which of them are elsewhere.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/planner/observed.h"
#include "controller/planner/step.h"

namespace bulkhead {

// Threads of a group of ours, sorted; none where it is not known.
std::vector<unsigned> threads_in(const Observed& now, const std::string& group);

// Takes these threads out of steps that would move them, and steps that have none left.
void leave_alone(std::vector<Step>& steps, const std::set<unsigned>& threads);

}  // namespace bulkhead
