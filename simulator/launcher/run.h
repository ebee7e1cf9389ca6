// SPDX-License-Identifier: Apache-2.0
// The command on its simulated host, from beginning to end.
#pragma once

#include "simulator/launcher/options.h"

namespace bulkhead::sim {

// The command's exit status. Throws Error before it is started.
int run(const LaunchOptions& options);

}  // namespace bulkhead::sim
