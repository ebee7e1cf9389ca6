// SPDX-License-Identifier: Apache-2.0
// What a growing row of block differences says of their mean, valid however often one looks: a mixture of
// t-tests over the effect's size, with the noise unknown (Wang and Ramdas 2023).
#pragma once

#include <optional>

namespace bulkhead {

struct Interval {
  double low = 0;
  double high = 0;
};

// The mixture's parameter: the squared ratio of noise to the effect of interest. It decides how soon a small
// effect is seen, never whether the sequence is right; but it must not be chosen from the same data.
inline constexpr double kDefaultMixture = 4;
// (noise/effect)², at least 1 and at most 25.
double mixture_for(double noise, double effect);

class ConfidenceSequence {
 public:
  explicit ConfidenceSequence(double mixture = kDefaultMixture) : mixture_(mixture) {}

  void add(double difference);

  unsigned count() const { return count_; }
  double mean() const { return mean_; }
  double deviation() const;  // of one difference, divided by count - 1; 0 below two

  // Holds the true mean at every count at once but for a chance of `alpha`. None while it is unbounded.
  std::optional<Interval> interval(double alpha) const;
  // Evidence against the mean being `mean`: by chance it ever exceeds x at most once in x times. 1 for one
  // difference.
  double e_value(double mean = 0) const;
  double largest_e_value() const;  // against 0, of all counts so far

  // By the central limit theorem alone, of at least 30 differences; sharpest at `sharpest` of them.
  std::optional<Interval> asymptotic_interval(double alpha, unsigned sharpest) const;

 private:
  double log_e_value(double mean) const;

  double mixture_;
  unsigned count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of squared distances from the mean
  double largest_log_e_value_ = 0;
};

// The interval's half width over the differences' deviation (divided by count); none while it is unbounded.
std::optional<double> half_width(unsigned count, double alpha, double mixture);

// The mean that `count` differences of that deviation show in 80 % of cases.
double detectable_effect(double deviation, unsigned count);

// Differences needed for an effect: in half of all cases, and in 80 %. None beyond 10,000.
struct BlocksNeeded {
  unsigned typical = 0;
  unsigned safe = 0;
};
std::optional<BlocksNeeded> blocks_needed(double deviation, double effect, double alpha, double mixture);

}  // namespace bulkhead
