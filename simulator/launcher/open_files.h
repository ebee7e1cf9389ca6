// SPDX-License-Identifier: Apache-2.0
// Who holds files of a filesystem open: what unmounting it depends on.
#pragma once

#include <string>

namespace bulkhead::sim {

// Whether a process of this procfs has something at or below `folder` open, or is in there.
bool is_held_open(const std::string& proc, const std::string& folder);

}  // namespace bulkhead::sim
