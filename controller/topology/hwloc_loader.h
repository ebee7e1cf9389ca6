// SPDX-License-Identifier: Apache-2.0
// Machine from hwloc. Throws Error(invalid) for a description that hwloc refuses.
#pragma once

#include <string>

#include "controller/topology/machine.h"

namespace bulkhead {

Machine load_live_machine();
Machine load_synthetic_machine(const std::string& description);  // hwloc's synthetic format
Machine load_xml_machine(const std::string& xml);                // the text of lstopo's XML

}  // namespace bulkhead
