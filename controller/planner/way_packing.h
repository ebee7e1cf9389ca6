// SPDX-License-Identifier: Apache-2.0
// Way masks for the groups that share one L3.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "controller/base/way_mask.h"

namespace bulkhead {

// One CCD's L3 as far as packing goes.
struct WayField {
  WayMask full;
  unsigned min_ways = 1;
  bool sparse = false;  // masks may have gaps; they get some only where there is no other way
  WayMask shareable;    // devices write here too: exclusive owners get these last
  WayMask forbidden;    // a foreign group holds them in exclusive mode
  WayMask foreign;      // other foreign groups may fill these: not for exclusive owners
  bool operator==(const WayField&) const = default;
};

struct WayAsk {
  bool exclusive = false;
  std::optional<WayMask> fixed;  // already checked against the field and the other fixed ones
  unsigned ways = 0;             // else this many; 0 is everything that no other group owns
  bool operator==(const WayAsk&) const = default;
};

// The ask that cannot be met beside those served before it, and what could. Served first are those that take
// what is left, then fixed masks, then exclusive owners, then the others, each kind in order.
struct WayShortage {
  std::size_t ask = 0;
  unsigned fits = 0;  // ways, less than it asks for
};

// A mask for each ask. Exclusive masks meet no other mask; the rest are kept apart where they fit side by
// side, else they overlap as little as possible. Exclusive owners are packed from the lowest way up, in
// order.
std::variant<std::vector<WayMask>, WayShortage> pack_ways(const WayField& field,
                                                          std::span<const WayAsk> asks);

}  // namespace bulkhead
