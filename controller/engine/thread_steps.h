// SPDX-License-Identifier: Apache-2.0
// Which threads belong where, and which of them are elsewhere.
#pragma once

#include <string>
#include <vector>

#include "controller/base/error.h"
#include "controller/planner/observed.h"
#include "controller/planner/step.h"

namespace bulkhead {

// Threads of a group of ours, sorted; none where it is not known.
std::vector<unsigned> threads_in(const Observed& now, const std::string& group);

// "threads 12, 13, 14 and 5 more"
std::string name_threads(const std::vector<unsigned>& threads);

bool is_of_others(const std::string& group);  // the default group is everybody's

// Of a service's threads in groups of others': Error(conflict) for each such group.
std::vector<Error> threads_of_others(const ObservedService& service);

}  // namespace bulkhead
