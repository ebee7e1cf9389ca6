// SPDX-License-Identifier: Apache-2.0
// Where the modelled services run and what limits them, as the modelled kernel has it now.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/hardware_model/machine.h"
#include "simulator/hardware_model/placement.h"
#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::sim {

// `processes`: of each service, in the order of the model's services. Crews are counted under RMIDs.
Placement placement_now(const KernelModel& kernel, const Machine& machine,
                        std::span<const unsigned> processes);

}  // namespace bulkhead::sim
