// SPDX-License-Identifier: Apache-2.0
// A ServedTree mounted through FUSE, so that any program can use it as files.
#pragma once

#include <string>

#include "simulator/fuse/served_tree.h"

namespace bulkhead::sim {

// Mounts `tree` at the directory `target` and serves it from threads of its own until this process ends;
// `tree` must live as long. This process must not look at what it serves. For `cache_seconds` the kernel may
// remember which files there are: no time at all where they come and go by themselves. Throws Error with the
// remedy where FUSE is not to be had.
void serve_through_fuse(ServedTree& tree, const std::string& target, double cache_seconds);

}  // namespace bulkhead::sim
