// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/cache_share.h"

namespace bulkhead {

std::optional<CacheShare> cache_share(const GroupDraft& group, const Policy& policy, const Ccd& ccd,
                                      const CacheCapability& l3, std::vector<std::string>& notes) {
  if (group.l3 == nullptr) return std::nullopt;
  const std::string name = owners(group, policy);
  CacheShare share{.data = way_amount(group.l3->data, ccd, l3, group.l3->place, name, notes), .code = {}};
  if (group.l3->code) share.code = way_amount(*group.l3->code, ccd, l3, group.l3->place, name, notes);
  return share;
}

}  // namespace bulkhead
