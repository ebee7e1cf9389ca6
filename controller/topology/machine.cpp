// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/machine.h"

#include <algorithm>

namespace bulkhead {
namespace {

template <class Part, class Id>
const Part* find_by_id(const std::vector<Part>& parts, Id id) {
  const auto found = std::ranges::lower_bound(parts, id, {}, &Part::id);
  return found != parts.end() && found->id == id ? &*found : nullptr;
}

}  // namespace

const Ccd* Machine::find_ccd(CacheId id) const {
  return find_by_id(ccds, id);
}

const Node* Machine::find_node(NodeId id) const {
  return find_by_id(nodes, id);
}

CpuSet Machine::nodes_of(const CpuSet& some_cpus) const {
  CpuSet ids;
  for (const Node& node : nodes) {
    if (node.cpus.intersects(some_cpus)) ids.insert(node.id.value);
  }
  return ids;
}

}  // namespace bulkhead
