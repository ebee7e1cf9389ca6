// SPDX-License-Identifier: Apache-2.0
// Reads counters as often as each is worth it, and keeps what was read. After the first sample of a shape
// nothing is allocated.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "controller/monitor/counter_source.h"
#include "controller/monitor/rate.h"

namespace bulkhead {

// How long a value may be old; nothing: it is read on demand only.
struct ReadingPlan {
  using Age = std::optional<std::chrono::milliseconds>;
  Age occupancy = std::chrono::seconds(5);  // moves slowly, and the hardware is slow to tell
  Age total = std::chrono::seconds(1);
  Age local;
  std::chrono::milliseconds rescan = std::chrono::seconds(5);  // groups that others make

  const Age& of(CounterEvent event) const;
};

class Sampler {
 public:
  using Clock = std::function<MonotonicTime()>;

  // The source must outlive the sampler.
  explicit Sampler(
      CounterSource& source, ReadingPlan plan = {},
      Clock clock = [] { return std::chrono::steady_clock::now(); });

  // From now on these; see CounterSource.
  void follow(const std::vector<CountedGroup>& groups) {
    group_went_ = source_.follow(groups) || group_went_;
  }

  // Reads what is due. True if something was.
  bool sample();
  // Reads all of these now, due or not.
  void sample(std::initializer_list<CounterEvent> events);

  const CounterShape& shape() const { return source_.shape(); }
  // Of one counter; `group` and `ccd` count in the shape. Empty where the host does not have the event.
  const Series& series(CounterEvent event, std::size_t group, std::size_t ccd) const;

 private:
  static constexpr std::size_t kEvents = kCounterEvents.size();

  bool has(CounterEvent event) const;
  std::size_t row(std::size_t group) const { return group * shape().ccds.size(); }
  void rescan();
  void read(CounterEvent event);

  CounterSource& source_;
  ReadingPlan plan_;
  Clock clock_;
  std::array<std::vector<Series>, kEvents> series_;  // group * CCDs + CCD
  std::vector<CounterGroup> groups_;                 // that the series are of
  std::vector<CacheId> ccds_;
  std::array<std::optional<MonotonicTime>, kEvents> read_at_;
  std::optional<MonotonicTime> scanned_at_;
  std::vector<Reading> readings_;  // of one row
  bool group_went_ = false;
};

}  // namespace bulkhead
