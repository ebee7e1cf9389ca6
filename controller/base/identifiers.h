// SPDX-License-Identifier: Apache-2.0
// Kernel ids as types of their own, so that a NUMA node's id is never taken for an L3 cache's.
#pragma once

#include <compare>
#include <string>

namespace bulkhead {

template <class Tag>
struct Identifier {
  unsigned value = 0;
  auto operator<=>(const Identifier&) const = default;
};

using CacheId = Identifier<struct CacheIdTag>;    // the kernel's cache id; ids may have holes
using NodeId = Identifier<struct NodeIdTag>;      // NUMA node
using SocketId = Identifier<struct SocketIdTag>;  // physical package

template <class Tag>
std::string to_string(Identifier<Tag> id) {
  return std::to_string(id.value);
}

}  // namespace bulkhead
