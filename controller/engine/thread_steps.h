// SPDX-License-Identifier: Apache-2.0
// Which threads belong where, and which of them are elsewhere.
#pragma once

#include <string>
#include <vector>

#include "controller/planner/observed.h"

namespace bulkhead {

// Threads of a group of ours, sorted; none where it is not known.
std::vector<unsigned> threads_in(const Observed& now, const std::string& group);

}  // namespace bulkhead
