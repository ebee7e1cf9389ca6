// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "controller/host/host_facts.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

// Looks at this host, changing nothing. What cannot be read is told in the facts.
HostFacts gather_host(FileSystem& files);

}  // namespace bulkhead
