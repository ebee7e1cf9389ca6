// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_rates.h"

namespace bulkhead {

PerfRates PerfRates::none(NoData why) {
  PerfRates rates;
  rates.per_second.fill({0, why});
  rates.counted_share = {0, why};
  return rates;
}

Measured PerfRates::ratio(std::size_t event, std::size_t over) const {
  const Measured& part = per_second[event];
  const Measured& whole = per_second[over];
  if (!part.good()) return {0, part.no_data};
  if (!whole.good()) return {0, whole.no_data};
  if (whole.value <= 0) return {0, NoData::idle};
  return {part.value / whole.value, NoData::none};
}

void PerfSum::add(const PerfCount& before, const PerfCount& now) {
  const Moved enabled = moved(before.times.enabled, now.times.enabled);
  const Moved running = moved(before.times.running, now.times.running);
  restarted_ = restarted_ || enabled.restarted || running.restarted;
  enabled_ += static_cast<double>(enabled.by);
  running_ += static_cast<double>(running.by);
  if (running.by == 0) return;
  enabled_of_counted_ += static_cast<double>(enabled.by);
  const double scale = static_cast<double>(enabled.by) / static_cast<double>(running.by);
  for (std::size_t event = 0; event < kMostPerfEvents; ++event) {
    const Moved step = moved(before.events[event], now.events[event]);
    restarted_ = restarted_ || step.restarted;
    counted_[event] += static_cast<double>(step.by) * scale;
  }
}

PerfRates PerfSum::over(double seconds) const {
  if (restarted_) return PerfRates::none(NoData::restarted);
  if (seconds <= 0) return PerfRates::none(NoData::first_sample);
  PerfRates rates;
  if (enabled_ <= 0) {
    // Nothing of it ran: that is known, and it is 0.
    rates.per_second.fill({0, NoData::none});
    rates.counted_share = {0, NoData::idle};
    return rates;
  }
  if (running_ <= 0) return PerfRates::none(NoData::multiplexed);
  const double scale = enabled_ / enabled_of_counted_;
  for (std::size_t event = 0; event < kMostPerfEvents; ++event) {
    rates.per_second[event] = {counted_[event] * scale / seconds, NoData::none};
  }
  rates.counted_share = {running_ / enabled_, NoData::none};
  return rates;
}

}  // namespace bulkhead
