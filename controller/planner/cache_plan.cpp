// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/cache_plan.h"

#include <algorithm>

#include "controller/planner/refusal.h"
#include "controller/planner/shared_cache.h"
#include "controller/planner/way_packing.h"

namespace bulkhead {
namespace {

// Remembers the last packing: most CCDs of a machine are asked for the same.
class Packings {
 public:
  using Result = std::variant<std::vector<WayMask>, WayShortage>;

  const Result& pack(const SharedCache& cache) {
    if (!known_ || field_ != cache.field() || asks_ != cache.asks()) {
      field_ = cache.field();
      asks_ = cache.asks();
      result_ = pack_ways(field_, asks_);
      known_ = true;
    }
    return result_;
  }

 private:
  bool known_ = false;
  WayField field_;
  std::vector<WayAsk> asks_;
  Result result_;
};

// Code and data apart are side by side if that fits, else they overlap.
std::vector<WayMask> pack(SharedCache& cache, Packings& packings) {
  const Packings::Result* result = &packings.pack(cache);
  if (std::holds_alternative<WayShortage>(*result) && cache.overlap_code_and_data()) {
    result = &packings.pack(cache);
  }
  if (const auto* shortage = std::get_if<WayShortage>(result)) cache.refuse_shortage(*shortage);
  return std::get<std::vector<WayMask>>(*result);
}

bool default_is_planned(const Grouping& grouping, const SharedCache& cache) {
  return grouping.default_group.l3 != nullptr || cache.has_exclusive();
}

void note_shareable(const SharedCache& cache, const std::vector<WayMask>& masks, const CacheCapability& l3,
                    std::vector<std::string>& notes) {
  for (std::size_t index = 0; index < masks.size(); ++index) {
    const WayMask shared = masks[index] & l3.shareable;
    if (!cache.asks()[index].exclusive || shared.empty()) continue;
    add_note(notes, cache.name(index) + ": devices write to ways " + shared.to_hex() +
                        " as well, though the policy wants them for it alone");
  }
}

}  // namespace

std::vector<Schemata> plan_cache(const Grouping& grouping, const Policy& policy, const Machine& machine,
                                 const Capabilities& capabilities, const Tenants& tenants,
                                 std::vector<std::string>& notes) {
  std::vector<Schemata> schemata(grouping.named.size() + 1);
  if (!capabilities.l3) return schemata;
  Packings packings;
  for (const Ccd& ccd : machine.ccds) {
    SharedCache cache(grouping, policy, ccd, *capabilities.l3, tenants, notes);
    if (cache.asks().empty()) continue;
    const std::vector<WayMask> masks = pack(cache, packings);
    note_shareable(cache, masks, *capabilities.l3, notes);
    for (std::size_t index = 0; index < masks.size(); ++index) {
      const std::size_t group = cache.group(index);
      const bool is_default = group == grouping.named.size();
      if (is_default && !default_is_planned(grouping, cache)) continue;
      const bool wants_nothing = is_default && grouping.default_group.l3 == nullptr;
      const WayMask mask = wants_nothing ? cache.narrowed_default(masks[index]) : masks[index];
      cache.write(index, mask, capabilities.cdp, schemata[group]);
    }
  }
  return schemata;
}

}  // namespace bulkhead
