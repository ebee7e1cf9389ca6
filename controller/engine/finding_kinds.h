// SPDX-License-Identifier: Apache-2.0
// What findings of a look are about, for who has to do something about them.
#pragma once

#include <set>
#include <vector>

#include "controller/engine/outcomes.h"

namespace bulkhead {

// Threads that are not in their service's group: what a repair would move.
std::set<unsigned> strays_of(const Verification& found);

bool is_about_threads(const Finding& finding);
bool is_about_cpus(const Finding& finding);

// What a hotplug may have done: it changes CPUs of groups and cgroups for a while, and on a CCD all of whose
// CPUs have been away the kernel gives every group all ways and any bandwidth.
bool is_of_hotplug(const Finding& finding, const Capabilities& capabilities);

// The host cannot have the policy now: all else that was found means nothing.
bool cannot_be_had(const Verification& found);

// What somebody else claims is told, and is not ours to mend.
bool is_contested(const Finding& finding);

// All that is not contested.
std::vector<Finding> differences(const Verification& found);

}  // namespace bulkhead
