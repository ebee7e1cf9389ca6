// SPDX-License-Identifier: Apache-2.0
// /proc/cpuinfo.
#pragma once

#include <string>

#include "controller/base/cpu_set.h"
#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

// CPUs that are offline are not in it.
std::string cpuinfo_text(const KernelShape& shape, const CpuSet& online);

}  // namespace bulkhead::sim
