// SPDX-License-Identifier: Apache-2.0
#include "tests/experiment/naive_tests.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace bulkhead::test {
namespace {

constexpr unsigned kDegrees = 400;
constexpr unsigned kLeastToPeek = 3;

struct Half {
  double mean = 0;
  double squares = 0;
};

Half half_of(std::span<const double> windows) {
  Half half;
  for (const double window : windows) half.mean += window / static_cast<double>(windows.size());
  for (const double window : windows) half.squares += (window - half.mean) * (window - half.mean);
  return half;
}

}  // namespace

double critical_t(unsigned degrees) {
  static const std::vector<double> values = [] {
    std::vector<double> found{0};
    for (unsigned of = 1; of <= kDegrees; ++of) {
      found.push_back(quantile(boost::math::students_t(of), 0.975));
    }
    return found;
  }();
  return values.at(degrees);
}

bool differs_before_after(std::span<const double> windows) {
  const std::size_t each = windows.size() / 2;
  const Half before = half_of(windows.first(each)), after = half_of(windows.last(each));
  const auto degrees = static_cast<unsigned>(2 * each - 2);
  const double variance = (before.squares + after.squares) / degrees;
  const double error = std::sqrt(2 * variance / static_cast<double>(each));
  return std::abs(after.mean - before.mean) > critical_t(degrees) * error;
}

bool PeekingTest::add(double difference) {
  ++count_;
  sum_ += difference;
  squares_ += difference * difference;
  if (count_ < kLeastToPeek) return false;
  const double mean = sum_ / count_;
  const double variance = (squares_ - count_ * mean * mean) / (count_ - 1);
  return std::abs(mean) > critical_t(count_ - 1) * std::sqrt(variance / count_);
}

}  // namespace bulkhead::test
