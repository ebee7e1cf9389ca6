// SPDX-License-Identifier: Apache-2.0
// A machine for people: what it is, what its kernel can divide, and the picture. Pure.
#pragma once

#include <string>

#include "controller/cli/style.h"
#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"

namespace bulkhead {

// `no_resctrl` says why nothing can be divided, where that is known.
std::string topology_report(const Machine& machine, const Capabilities& capabilities,
                            const std::string& no_resctrl, const Style& style);

}  // namespace bulkhead
