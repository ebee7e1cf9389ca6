// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/repair_pace.h"

#include <algorithm>

namespace bulkhead {

void RepairPace::forget_what_is_quiet(Time now) {
  std::erase_if(things_, [&](const auto& thing) {
    const auto next = thing.second.backoff.next();
    return next && now >= *next + Backoff::kQuiet;
  });
  while (!repairs_.empty() && now >= repairs_.front() + Backoff::kQuiet) repairs_.pop_front();
}

Things RepairPace::held(const Things& things, Time now) {
  forget_what_is_quiet(now);
  if (is_exhausted()) return things;
  Things held;
  std::copy_if(things.begin(), things.end(), std::inserter(held, held.end()), [&](const auto& thing) {
    const auto known = things_.find(thing);
    return known != things_.end() && !known->second.backoff.may_repair(now);
  });
  return held;
}

RepairPace::Time RepairPace::next(const std::string& thing, Time now) const {
  const auto known = things_.find(thing);
  const Time own = known == things_.end() ? now : known->second.backoff.next().value_or(now);
  return std::max(own, is_exhausted() ? repairs_.front() + Backoff::kQuiet : now);
}

RepairPace::Time RepairPace::next(const Things& things, Time now) const {
  Time first = Time::max();
  for (const std::string& thing : things) first = std::min(first, next(thing, now));
  return first;
}

void RepairPace::tried(const Things& things, Time now) {
  forget_what_is_quiet(now);
  for (const std::string& thing : things) things_[thing].backoff.tried(now);
  repairs_.push_back(now);
}

Things RepairPace::untold(const Things& held) {
  Things fresh;
  for (const std::string& name : held) {
    const auto known = things_.find(name);
    if (known == things_.end() || known->second.told) continue;
    known->second.told = true;
    fresh.insert(name);
  }
  return fresh;
}

}  // namespace bulkhead
