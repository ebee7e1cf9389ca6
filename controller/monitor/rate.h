// SPDX-License-Identifier: Apache-2.0
// Counts to rates. Pure.
#pragma once

#include <chrono>

#include "controller/monitor/reading.h"
#include "controller/monitor/ring.h"

namespace bulkhead {

using MonotonicTime = std::chrono::steady_clock::time_point;

struct Sample {
  MonotonicTime at;
  Reading reading;
};

// More than a minute of readings each second.
using Series = Ring<Sample, 64>;

// A number in the unit of what was measured (bytes, bytes a second), or why there is none.
struct Measured {
  double value = 0;
  NoData no_data = NoData::not_read;

  bool good() const { return no_data == NoData::none; }
  bool operator==(const Measured&) const = default;
};

// How a 64-bit count moved on. It may wrap; one that seems to have moved by more than half of its range went
// back, because what it counts began anew.
struct Moved {
  std::uint64_t by = 0;
  bool restarted = false;
};
Moved moved(std::uint64_t from, std::uint64_t to);

// A second's worth over the latest samples that are at most `window` old, the last two in any case: only the
// part without a gap or a restart counts, so that no sum is made up. Without two samples of it, the reason.
Measured rate(const Series& counts, std::chrono::nanoseconds window);

// The latest reading itself.
Measured latest(const Series& values);

}  // namespace bulkhead
