// SPDX-License-Identifier: Apache-2.0
// Which groups could be one, where there are too many.
#pragma once

#include <string>

#include "controller/planner/grouping.h"

namespace bulkhead {

// "the same l3 and bandwidth for bulk and batch would fit", for as many merges as leave `most` groups; each
// time the two that are the closest: on the same CCDs, the least difference in ways, then in bandwidth.
std::string describe_merge(const Grouping& grouping, const Policy& policy, const Machine& machine,
                           const Capabilities& capabilities, std::size_t most);

}  // namespace bulkhead
