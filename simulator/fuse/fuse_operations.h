// SPDX-License-Identifier: Apache-2.0
// libfuse's table of system calls, answered by the ServedTree in the mount's user data.
#pragma once

#include "simulator/fuse/served_tree.h"

struct fuse_operations;

namespace bulkhead::sim {

// The user data.
struct Served {
  ServedTree* tree = nullptr;
  double cache_seconds = 0;  // for which the kernel may remember names and attributes
};

const fuse_operations& fuse_operations_of_tree();

}  // namespace bulkhead::sim
