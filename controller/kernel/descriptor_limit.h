// SPDX-License-Identifier: Apache-2.0
// How many files may be open: each counter keeps its own.
#pragma once

#include <cstddef>

#include "controller/kernel/file_system.h"

namespace bulkhead {

// Raises the soft limit to the hard one; gives what it is then. Children that know only select(2) should not
// inherit it: call it in programs that start none.
std::size_t raise_descriptor_limit();

// How many more can be opened now under that limit. Some are left for what else a program opens: the
// counters of groups that others make.
std::size_t spare_descriptors(FileSystem& files, std::size_t limit);

}  // namespace bulkhead
