// SPDX-License-Identifier: Apache-2.0
// A policy that is in force is kept even where somebody else claims a part of its ground meanwhile: all but
// that part is compared and mended.
#pragma once

#include <vector>

#include "controller/planner/observed.h"
#include "policies/policy.h"

namespace bulkhead {

// What is to become of what others claim: a new policy is refused, one that is in force leaves it to them.
enum class Contested { refuse, leave };

// `now` has these services. From now on threads in groups of others' are nobody's, what two services select
// is the first one's, and a cgroup that lies inside another service's is that one's.
void leave_contested(const std::vector<Service>& services, Observed& now);

}  // namespace bulkhead
