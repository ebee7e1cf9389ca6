// SPDX-License-Identifier: Apache-2.0
// One variable of a fixed point: it goes part of the way to each new target, and more carefully after an
// overshoot.
#pragma once

#include <algorithm>
#include <cmath>

namespace bulkhead::sim {

class Damped {
 public:
  explicit Damped(double value) : value_(value) {}

  double value() const { return value_; }
  void restart() {
    part_ = kFirstPart;
    last_ = 0;
  }
  // The distance that was left.
  double move(double target) {
    const double distance = target - value_;
    part_ = distance * last_ < 0 ? part_ * kAfterOvershoot : std::min(kFirstPart, part_ * kAfterProgress);
    last_ = distance;
    value_ += part_ * distance;
    return std::abs(distance);
  }

 private:
  static constexpr double kFirstPart = 0.7;
  static constexpr double kAfterOvershoot = 0.6;
  static constexpr double kAfterProgress = 1.1;

  double value_;
  double part_ = kFirstPart;
  double last_ = 0;
};

}  // namespace bulkhead::sim
