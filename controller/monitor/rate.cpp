// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/rate.h"

namespace bulkhead {

Moved moved(std::uint64_t from, std::uint64_t to) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  const std::uint64_t by = to - from;
  if (by >= kHalf) return {0, true};
  return {by, false};
}

Measured rate(const Series& counts, std::chrono::nanoseconds window) {
  if (counts.empty()) return {};
  const Sample& newest = counts.latest();
  if (!newest.reading.good()) return {0, newest.reading.no_data};
  double sum = 0;
  Sample oldest = newest;
  for (std::size_t back = 1; back < counts.size(); ++back) {
    const Sample& older = counts.latest(back);
    if (!older.reading.good() || (back > 1 && newest.at - older.at > window)) break;
    const Moved step = moved(older.reading.value, oldest.reading.value);
    if (step.restarted) {
      if (back == 1) return {0, NoData::restarted};
      break;
    }
    sum += static_cast<double>(step.by);
    oldest = older;
  }
  const double seconds = std::chrono::duration<double>(newest.at - oldest.at).count();
  if (seconds <= 0) return {0, NoData::first_sample};
  return {sum / seconds, NoData::none};
}

Measured latest(const Series& values) {
  if (values.empty()) return {};
  const Reading& reading = values.latest().reading;
  return {static_cast<double>(reading.value), reading.no_data};
}

}  // namespace bulkhead
