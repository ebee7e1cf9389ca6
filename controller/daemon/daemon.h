// SPDX-License-Identifier: Apache-2.0
// bulkheadd, wired together.
#pragma once

#include "controller/daemon/daemon_options.h"

namespace bulkhead {

// Until a signal ends it: the host stays as it is. Throws Error where it cannot begin.
void run_daemon(const DaemonOptions& options);

// What `bulkheadd --check` prints: every problem of the configuration and of the policy that it names.
// Nothing is wrong where that is empty. Throws Error where a file cannot be read.
std::string problems_of_configuration(const DaemonOptions& options);

}  // namespace bulkhead
