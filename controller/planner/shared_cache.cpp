// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/shared_cache.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/planner/refusal.h"

namespace bulkhead {
namespace {

WayMask lowest(WayMask mask, unsigned count) {
  while (mask.count() > count) mask.bits &= ~(std::uint64_t{1} << (63 - std::countl_zero(mask.bits)));
  return mask;
}

WayMask highest(WayMask mask, unsigned count) {
  while (mask.count() > count) mask.bits &= mask.bits - 1;
  return mask;
}

// The ways that a group's schemata gives it on a CCD, code and data together.
WayMask ways_of(const Schemata& schemata, CacheId ccd) {
  WayMask ways;
  for (const Resource resource : {Resource::l3, Resource::l3_code, Resource::l3_data}) {
    const auto line = schemata.find(resource);
    if (line == schemata.end()) continue;
    const auto value = line->second.find(ccd);
    if (value != line->second.end()) ways = ways | WayMask{value->second};
  }
  return ways;
}

WayAsk ask_of(const std::optional<CacheShare>& share, bool exclusive, unsigned all_ways, const Place& place,
              const std::string& name) {
  WayAsk ask{.exclusive = exclusive, .fixed = {}, .ways = 0};
  if (!share) return ask;
  if (!share->code) {
    ask.fixed = share->data.mask;
    ask.ways = share->data.ways;
    return ask;
  }
  if (share->code->mask.has_value() != share->data.mask.has_value()) {
    refuse(ErrorCode::infeasible, place,
           name + " gives a mask for one of code and data only: give masks or amounts for both");
  }
  if (share->data.mask) ask.fixed = *share->code->mask | *share->data.mask;
  ask.ways = std::min(share->code->ways + share->data.ways, all_ways);
  return ask;
}

}  // namespace

SharedCache::SharedCache(const Grouping& grouping, const Policy& policy, const Ccd& ccd,
                         const CacheCapability& l3, const Tenants& tenants, std::vector<std::string>& notes)
    : policy_(policy), ccd_(ccd), l3_(l3) {
  field_.full = l3.full;
  field_.min_ways = std::max(l3.min_ways, 1U);
  field_.sparse = l3.sparse;
  field_.shareable = l3.shareable & l3.full;
  default_had_ = ways_of(tenants.default_group, ccd.id) & l3.full;
  for (std::size_t index = 0; index < grouping.named.size(); ++index)
    add_party(grouping.named[index], index, notes);
  const std::size_t named = parties_.size();
  add_party(grouping.default_group, grouping.named.size(), notes);
  add_foreign(tenants, parties_.size() != named);
  refuse_fixed_overlaps();
}

void SharedCache::add_party(const GroupDraft& draft, std::size_t group, std::vector<std::string>& notes) {
  if (!std::binary_search(draft.ccds.begin(), draft.ccds.end(), ccd_.id)) return;
  Party party{.draft = &draft, .group = group, .share = cache_share(draft, policy_, ccd_, l3_, notes)};
  const Place nowhere;
  const Place& place = draft.l3 == nullptr ? nowhere : draft.l3->place;
  asks_.push_back(ask_of(party.share, draft.l3_exclusive, l3_.ways(), place, owners(draft, policy_)));
  parties_.push_back(std::move(party));
}

// Foreign tasks run where others may, and on the CPUs that a foreign group took. Where neither is the case
// their masks mean nothing, unless the kernel itself keeps everybody out.
void SharedCache::add_foreign(const Tenants& tenants, bool default_runs_here) {
  for (const ForeignGroup& group : tenants.groups) {
    const WayMask mask = ways_of(group.schemata, ccd_.id) & l3_.full;
    if (mask.empty() || !(group.exclusive || default_runs_here || group.cpus.intersects(ccd_.cpus))) continue;
    WayMask& sum = group.exclusive ? field_.forbidden : field_.foreign;
    sum = sum | mask;
    foreign_.push_back({"the foreign group '" + group.name + "'", mask, group.exclusive});
  }
}

bool SharedCache::has_exclusive() const {
  return std::any_of(asks_.begin(), asks_.end(), [](const WayAsk& ask) { return ask.exclusive; });
}

std::string SharedCache::name(std::size_t ask) const {
  return owners(*parties_[ask].draft, policy_);
}

const Place& SharedCache::place(std::size_t ask) const {
  const GroupDraft& draft = *parties_[ask].draft;
  if (draft.l3 != nullptr) return draft.l3->place;
  const Service& first = policy_.services[draft.services.empty() ? 0 : draft.services.front()];
  return draft.l3_exclusive ? first.l3_exclusive_place : first.place;
}

void SharedCache::refuse_fixed_overlaps() const {
  for (std::size_t ask = 0; ask < asks_.size(); ++ask) {
    if (asks_[ask].fixed) refuse_fixed(ask);
  }
}

void SharedCache::refuse_fixed(std::size_t ask) const {
  const WayMask mask = *asks_[ask].fixed;
  const std::string text = name(ask) + " wants mask " + mask.to_hex() + " of CCD " + to_string(ccd_.id);
  for (std::size_t other = 0; other < ask; ++other) {
    if (!asks_[other].fixed || !(asks_[ask].exclusive || asks_[other].exclusive)) continue;
    const WayMask shared = mask & *asks_[other].fixed;
    if (shared.empty()) continue;
    refuse(ErrorCode::infeasible, place(ask),
           text + (asks_[ask].exclusive ? " for itself" : "") + ", but " + name(other) + " holds " +
               shared.to_hex() + " of it" + (asks_[other].exclusive ? " exclusively" : ""));
  }
  for (const ForeignWays& foreign : foreign_) {
    if (!mask.intersects(foreign.mask) || !(asks_[ask].exclusive || foreign.exclusive)) continue;
    refuse(ErrorCode::infeasible, place(ask),
           text + (asks_[ask].exclusive ? " for itself" : "") + ", but " + foreign.name + " holds " +
               (mask & foreign.mask).to_hex() + " of it" + (foreign.exclusive ? " exclusively" : ""));
  }
}

bool SharedCache::overlap_code_and_data() {
  bool changed = false;
  for (std::size_t ask = 0; ask < asks_.size(); ++ask) {
    const std::optional<CacheShare>& share = parties_[ask].share;
    if (!share || !share->code || asks_[ask].fixed) continue;
    const unsigned larger = std::max(share->code->ways, share->data.ways);
    changed = changed || larger != asks_[ask].ways;
    asks_[ask].ways = larger;
  }
  return changed;
}

WayMask SharedCache::narrowed_default(WayMask packed) const {
  const WayMask kept = packed & default_had_;
  const bool possible = kept.count() >= field_.min_ways && (field_.sparse || kept.contiguous());
  return possible ? kept : packed;
}

void SharedCache::write(std::size_t ask, WayMask mask, bool cdp, Schemata& schemata) const {
  if (!cdp) {
    schemata[Resource::l3][ccd_.id] = mask.bits;
    return;
  }
  WayMask code = mask;
  WayMask data = mask;
  if (const std::optional<CacheShare>& share = parties_[ask].share; share && share->code) {
    code = share->code->mask.value_or(lowest(mask, share->code->ways));
    data = share->data.mask.value_or(highest(mask, share->data.ways));
  }
  schemata[Resource::l3_code][ccd_.id] = code.bits;
  schemata[Resource::l3_data][ccd_.id] = data.bits;
}

// Who keeps an ask from its ways.
std::vector<std::string> SharedCache::rivals(std::size_t ask) const {
  std::vector<std::string> found;
  const bool alone = asks_[ask].exclusive;
  for (std::size_t other = 0; other < asks_.size(); ++other) {
    if (other == ask) continue;
    const WayAsk& its = asks_[other];
    const unsigned ways = its.fixed ? its.fixed->count() : its.ways;
    if (its.exclusive && (other < ask || its.fixed || !alone)) {
      found.push_back(name(other) + " holds " + std::to_string(ways == 0 ? l3_.ways() : ways) +
                      " exclusively");
    } else if (alone && its.fixed) {
      found.push_back(name(other) + " holds mask " + its.fixed->to_hex());
    } else if (alone && !its.exclusive && ways == 0) {
      found.push_back("at least " + std::to_string(field_.min_ways) + " must be left to " + name(other));
    }
  }
  for (const ForeignWays& foreign : foreign_) {
    if (!alone && !foreign.exclusive) continue;
    found.push_back(foreign.name + " holds mask " + foreign.mask.to_hex() +
                    (foreign.exclusive ? " exclusively" : ""));
  }
  return found;
}

void SharedCache::refuse_shortage(const WayShortage& shortage) const {
  const WayAsk& ask = asks_[shortage.ask];
  const std::string what = ask.fixed       ? "mask " + ask.fixed->to_hex()
                           : ask.exclusive ? std::to_string(ask.ways == 0 ? l3_.ways() : ask.ways) + " of " +
                                                 counted(l3_.ways(), "way")
                           : ask.ways == 0 ? "at least " + counted(field_.min_ways, "way")
                                           : std::to_string(ask.ways) + " of " + counted(l3_.ways(), "way");
  std::string message = name(shortage.ask) + " wants " + what + " of CCD " + to_string(ccd_.id) +
                        (ask.exclusive ? " for itself" : "");
  const std::vector<std::string> held = rivals(shortage.ask);
  message += ", but " + (held.empty() ? "there is no room" : in_words(held));
  if (shortage.fits != 0) {
    message += "; at most " + std::to_string(shortage.fits) + (shortage.fits == 1 ? " fits" : " fit");
  } else {
    message += "; no way is left";
  }
  refuse(ErrorCode::infeasible, place(shortage.ask), message);
}

}  // namespace bulkhead
