// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_group_set.h"

namespace bulkhead {

void PerfGroupSet::give_up(NoData why) {
  groups_.clear();
  why_not_ = why;
}

PerfRates PerfGroupSet::sample(MonotonicTime now) {
  if (why_not_ != NoData::none) return PerfRates::none(why_not_);
  PerfSum sum;
  bool any = false;
  for (Member& member : groups_) {
    PerfCount count;
    const bool read = member.group->read(count.events, count.times);
    if (read && member.read) sum.add(member.last, count);
    any = any || read;
    member.last = count;
    member.read = read;
  }
  const auto before = sampled_at_;
  sampled_at_ = now;
  if (!any) return PerfRates::none(NoData::unreadable);
  if (!before) return PerfRates::none(NoData::first_sample);
  return sum.over(std::chrono::duration<double>(now - *before).count());
}

}  // namespace bulkhead
