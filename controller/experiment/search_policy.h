// SPDX-License-Identifier: Apache-2.0
// A combination of a search as a policy: the template with one service's wants replaced.
#pragma once

#include <string>
#include <string_view>

#include "controller/experiment/search_space.h"

namespace bulkhead {

// The text of the policy with what the point names: cpus.count.ccds, l3 in ways, bandwidth, threads_per_core.
// Comments are lost. Throws Error(invalid) where the template (`file` in messages) is no policy, or leaves no
// room for it: no such service, CPUs that are not counted in CCDs, cache and bandwidth that belong to a
// class.
std::string policy_at(std::string_view text, const std::string& file, const std::string& service,
                      const SearchPoint& point);

}  // namespace bulkhead
