// SPDX-License-Identifier: Apache-2.0
// What a group wants of one CCD's L3, before anybody knows which ways it gets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/planner/grouping.h"
#include "controller/planner/way_amount.h"

namespace bulkhead {

struct CacheShare {
  WayAmount data;
  std::optional<WayAmount> code;  // apart from data, under CDP
};

// Nothing where the group says nothing.
std::optional<CacheShare> cache_share(const GroupDraft& group, const Policy& policy, const Ccd& ccd,
                                      const CacheCapability& l3, std::vector<std::string>& notes);

}  // namespace bulkhead
