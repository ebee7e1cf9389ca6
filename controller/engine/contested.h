// SPDX-License-Identifier: Apache-2.0
// A policy that is in force is kept even where somebody else claims a part of its ground meanwhile: all but
// that part is compared and mended.
#pragma once

#include <functional>
#include <vector>

#include "controller/base/error.h"
#include "controller/planner/observed.h"
#include "controller/planner/planner.h"
#include "policies/policy.h"

namespace bulkhead {

// What is to become of what others claim: a new policy is refused, one that is in force leaves it to them.
enum class Contested { refuse, leave };

// `now` has these services. From now on threads in groups of others' are nobody's, what two services select
// is the first one's, and a cgroup that lies inside another service's is that one's. What is said of threads
// that are left in groups of others'.
std::vector<Error> leave_contested(const std::vector<Service>& services, Observed& now);

// Those of `tenants` that a policy fits beside: all, or without what claims the ground of our groups in
// `now`. Exclusive groups come first, since the kernel refuses their ways to everybody; then who has least of
// what is ours.
Tenants undisputed(const Tenants& tenants, const Observed& now,
                   const std::function<bool(const Tenants&)>& fits);

}  // namespace bulkhead
