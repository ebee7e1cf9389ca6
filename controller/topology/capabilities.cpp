// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/capabilities.h"

#include <algorithm>

namespace bulkhead {

unsigned Capabilities::closids() const {
  std::optional<unsigned> least;
  const auto limit_to = [&least](const auto& resource) {
    if (resource) least = std::min(least.value_or(resource->closids), resource->closids);
  };
  limit_to(l3);
  limit_to(l2);
  limit_to(memory);
  limit_to(slow);
  return least.value_or(0);
}

}  // namespace bulkhead
