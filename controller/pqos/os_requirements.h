// SPDX-License-Identifier: Apache-2.0
// Where libpqos may not be let loose on resctrl, since its start would fail half-way, take what is somebody
// else's, or mistake what it finds.
#pragma once

#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/observed.h"
#include "controller/resctrl/capabilities_reader.h"
#include "controller/topology/machine.h"

namespace bulkhead {

// Throws Error with the reason: conflict where somebody holds something, unsupported where this host is not
// for it. `groups` are those of resctrl; with `in_force` COS1 to COSn are ours.
void refuse_for_pqos_os(FileSystem& files, const ResctrlPresence& presence, const Machine& machine,
                        const Capabilities& capabilities, const std::vector<ObservedGroup>& groups,
                        bool in_force);

}  // namespace bulkhead
