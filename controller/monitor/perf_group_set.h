// SPDX-License-Identifier: Apache-2.0
// All perf groups of one service, or of one CCD, and the rates of their sum.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "controller/kernel/perf_events.h"
#include "controller/monitor/perf_rates.h"

namespace bulkhead {

class PerfGroupSet {
 public:
  void add(std::unique_ptr<PerfGroup> group) { groups_.push_back({std::move(group), {}, false}); }
  // It stays without data, for that reason.
  void give_up(NoData why);

  bool empty() const { return groups_.empty(); }
  // Since the last sample; the first one has only reasons.
  PerfRates sample(MonotonicTime now);

 private:
  struct Member {
    std::unique_ptr<PerfGroup> group;
    PerfCount last;
    bool read = false;  // `last` is of the last sample
  };

  std::vector<Member> groups_;
  NoData why_not_ = NoData::none;
  std::optional<MonotonicTime> sampled_at_;
};

}  // namespace bulkhead
