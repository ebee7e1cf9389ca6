// SPDX-License-Identifier: Apache-2.0
// What is left where the state was lost while a policy was in force. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/engine/state.h"
#include "controller/planner/observed.h"

namespace bulkhead {

inline constexpr const char* kBaselineLost =
    "how the host was before the first apply was lost with the runtime directory: a reset takes groups away, "
    "but "
    "CPUs of cgroups, and masks of the default group, stay as they were when this was noticed";

// Groups and cgroups that carry our name, "group bulkhead.web".
std::vector<std::string> ours_in(const Observed& now);

// They are there, and nothing is remembered that would have made them.
bool has_lost_baseline(const State& state, const Observed& now);

}  // namespace bulkhead
