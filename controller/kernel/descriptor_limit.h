// SPDX-License-Identifier: Apache-2.0
// How many files may be open: each counter keeps its own.
#pragma once

#include <cstddef>

namespace bulkhead {

// Raises the soft limit to the hard one; gives what it is then. Children that know only select(2) should not
// inherit it: call it in programs that start none.
std::size_t raise_descriptor_limit();

}  // namespace bulkhead
