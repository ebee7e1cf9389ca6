// SPDX-License-Identifier: Apache-2.0
// When drift may be mended again. One repair is free; where what was mended differs again soon after,
// somebody else wants it otherwise, and two controllers must not fight at full speed for ever.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace bulkhead {

class Backoff {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kFirst{1};
  static constexpr std::chrono::seconds kLongest{300};
  static constexpr std::chrono::seconds kQuiet{60};  // so long after a wait without drift all is forgotten

  bool may_repair(Time now) const { return !next_ || now >= *next_; }
  std::optional<Time> next() const { return next_; }  // nothing: at once
  unsigned strikes() const { return strikes_; }

  // A repair was tried now, whatever came of it.
  void tried(Time now) {
    strikes_ = next_ && now < *next_ + kQuiet ? strikes_ + 1 : 0;
    wait_ = strikes_ == 0 ? std::chrono::seconds(0) : std::min(std::max(wait_ * 2, kFirst), kLongest);
    next_ = now + wait_;
  }

 private:
  std::optional<Time> next_;
  std::chrono::seconds wait_{0};
  unsigned strikes_ = 0;
};

}  // namespace bulkhead
