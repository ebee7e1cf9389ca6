// SPDX-License-Identifier: Apache-2.0
// systemd keeps every limit that is set at runtime in a file, also one that is set back to what it was. Such
// a file would go on to win over what the administrator writes into the unit's own files later.
#pragma once

#include <string>
#include <vector>

#include "cgroup/units.h"

namespace bulkhead {

struct UnitFiles {
  std::string unit;
  std::vector<std::string> paths;  // in the order in which systemd reads them
  UnitLimits limits;               // that it has read there
};

// Removes those of a unit's files that keep a limit which the other ones say too. Whether there were any;
// systemd knows when it has read its files again. `folder` is systemd's own.
bool remove_needless_drop_ins(const std::string& folder, const UnitFiles& files);

}  // namespace bulkhead
