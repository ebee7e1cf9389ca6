// SPDX-License-Identifier: Apache-2.0
// A machine file as the hardware of a modelled kernel.
#pragma once

#include <string>

#include "controller/topology/machine_file.h"
#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

// Throws Error(invalid) where the machine has what the model lacks (a core without L3).
KernelShape shape_of(const Host& host, Generation generation);

// "6.1", "6.12" or "7"; Error(usage) for another.
Generation generation_named(const std::string& version);

}  // namespace bulkhead::sim
