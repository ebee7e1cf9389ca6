// SPDX-License-Identifier: Apache-2.0
// What a step changes, named in the smallest parts that somebody else can change apart: a mask on one CCD, a
// cgroup's CPUs, a thread's group. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/planner/step.h"

namespace bulkhead {

using Things = std::set<std::string>;  // "L3 of group bulkhead.web on CCD 3", "CPUs of cgroup /web"

Things things_of(const Step& step);
Things things_of(const std::vector<Step>& steps);
std::string group_of_thread(unsigned thread);  // as things_of names it

// Takes what is `held` out of the steps, and what cannot be done without it: nothing is written to a group
// that is not made, or below a cgroup that is held.
void hold_back(std::vector<Step>& steps, const Things& held);

}  // namespace bulkhead
