// SPDX-License-Identifier: Apache-2.0
// The "capabilities" of a machine file.
#pragma once

#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"
#include "controller/topology/machine_section.h"

namespace bulkhead {

// Of the whole file's section; without "capabilities" there is no resctrl. Domains are the machine's CCDs
// unless the file lists others.
Capabilities read_capabilities_section(const MachineSection& file, const Machine& machine);

}  // namespace bulkhead
