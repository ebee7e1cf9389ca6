// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/counters.h"

namespace bulkhead::sim {

Reading Counters::read(const CounterKey& key) {
  const auto found = hardware_.find(key);
  const Hardware now = found == hardware_.end() ? Hardware{} : found->second;
  if (key.event == "llc_occupancy") return {now.state, now.units * shape_.unit_bytes};
  Sum& sum = sums_[key];
  if (now.state != CounterState::good) {
    // An RMID that hardware stopped to track counts from 0 when it is tracked again.
    if (now.state == CounterState::unavailable) sum.last = 0;
    return {now.state, 0};
  }
  if (sum.restarts) {
    sum.restarts = false;
    return {CounterState::unavailable, 0};
  }
  const std::uint64_t wrap = (std::uint64_t{1} << shape_.counter_bits) - 1;
  sum.units += (now.units - sum.last) & wrap;
  sum.last = now.units;
  return {CounterState::good, sum.units * shape_.unit_bytes};
}

void Counters::start(const CounterKey& key) {
  const auto found = hardware_.find(key);
  const bool good = found != hardware_.end() && found->second.state == CounterState::good;
  sums_[key] = {good ? found->second.units : 0, 0, false};
}

void Counters::restart(const CounterKey& key) {
  start(key);
  sums_[key].restarts = true;
}

void Counters::restart_domain(unsigned domain) {
  for (const auto& [key, sum] : sums_) {
    if (key.domain == domain) restart(key);
  }
}

void Counters::forget_domain(unsigned domain) {
  std::erase_if(sums_, [&](const auto& entry) { return entry.first.domain == domain; });
}

}  // namespace bulkhead::sim
