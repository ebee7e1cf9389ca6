// SPDX-License-Identifier: Apache-2.0
// From counts of many groups (one a CPU, or a thread) to rates of the whole. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "controller/kernel/perf_events.h"
#include "controller/monitor/rate.h"

namespace bulkhead {

struct PerfCount {
  std::array<std::uint64_t, kMostPerfEvents> events{};
  PerfTimes times;
};

struct PerfRates {
  std::array<Measured, kMostPerfEvents> per_second;  // by event
  Measured counted_share;  // of the time in which something ran; below 1 the rates are extrapolated

  static PerfRates none(NoData why);
  // Of two events, as instructions to cycles; `over` 0 has none.
  Measured ratio(std::size_t event, std::size_t over) const;
};

class PerfSum {
 public:
  void add(const PerfCount& before, const PerfCount& now);
  PerfRates over(double seconds) const;

 private:
  std::array<double, kMostPerfEvents> counted_{};  // each group's scaled up to all of its own time
  double enabled_ = 0;
  double running_ = 0;
  double enabled_of_counted_ = 0;  // of groups that were counted for a part of it at least
  bool restarted_ = false;
};

}  // namespace bulkhead
