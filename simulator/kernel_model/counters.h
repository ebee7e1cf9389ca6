// SPDX-License-Identifier: Apache-2.0
// The hardware's occupancy and bandwidth counters, and how the kernel makes readings of them: bandwidth
// counters wrap, so the kernel adds up differences; a reading can be unavailable or in error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

enum class CounterState { good, unavailable, error, unassigned };

struct CounterKey {
  unsigned domain = 0;
  unsigned rmid = 0;
  std::string event;
  auto operator<=>(const CounterKey&) const = default;
};

struct Reading {
  CounterState state = CounterState::good;
  std::uint64_t bytes = 0;
};

class Counters {
 public:
  explicit Counters(MonitoringShape shape) : shape_(std::move(shape)) {}

  void set(const CounterKey& key, std::uint64_t units) { hardware_[key] = {CounterState::good, units}; }
  void fail(const CounterKey& key, CounterState state) { hardware_[key] = {state, 0}; }

  Reading read(const CounterKey& key);
  void start(const CounterKey& key);    // a group begins to use this RMID: its count starts at 0
  void restart(const CounterKey& key);  // likewise, after one reading that is unavailable
  void forget_domain(unsigned domain);  // its last CPU has gone offline
  void restart_domain(
      unsigned domain);  // bandwidth is counted from 0 again, after one reading that is unavailable
  const MonitoringShape& shape() const { return shape_; }

 private:
  struct Hardware {
    CounterState state = CounterState::good;
    std::uint64_t units = 0;
  };
  struct Sum {
    std::uint64_t last = 0;
    std::uint64_t units = 0;
    bool restarts = false;  // and the next reading is unavailable
  };

  MonitoringShape shape_;
  std::map<CounterKey, Hardware> hardware_;
  std::map<CounterKey, Sum> sums_;
};

}  // namespace bulkhead::sim
