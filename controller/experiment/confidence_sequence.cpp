// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/confidence_sequence.h"

#include <algorithm>
#include <cmath>

namespace bulkhead {
namespace {

constexpr unsigned kLeastForAsymptotic = 30;
constexpr unsigned kMostNeeded = 10'000;
// 80 % of a normal distribution lie below this many deviations.
constexpr double kPower80 = 0.8416212335729143;
// The sequence's half width in the middle of its useful range, and the part that 80 % of means exceed.
constexpr double kDetectable = 3.65;

}  // namespace

double mixture_for(double noise, double effect) {
  if (!(noise > 0) || !(effect > 0)) return kDefaultMixture;
  return std::clamp(noise / effect * (noise / effect), 1.0, 25.0);
}

std::optional<double> half_width(unsigned count, double alpha, double mixture) {
  if (count < 2) return std::nullopt;
  const double n = count;
  const double a = std::exp((2 * std::log(alpha) + std::log(mixture / (n + mixture))) / n);
  const double r = (1 - a) * (n + mixture) / n;
  if (r >= 1) return std::nullopt;
  return std::sqrt(r / (1 - r));
}

void ConfidenceSequence::add(double difference) {
  ++count_;
  const double before = difference - mean_;
  mean_ += before / count_;
  squares_ += before * (difference - mean_);
  largest_log_e_value_ = std::max(largest_log_e_value_, log_e_value(0));
}

double ConfidenceSequence::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / (count_ - 1));
}

std::optional<Interval> ConfidenceSequence::interval(double alpha) const {
  const std::optional<double> width = half_width(count_, alpha, mixture_);
  if (!width) return std::nullopt;
  const double half = *width * std::sqrt(squares_ / count_);
  return Interval{mean_ - half, mean_ + half};
}

double ConfidenceSequence::log_e_value(double mean) const {
  if (count_ < 2) return 0;
  const double n = count_;
  const double shift = n * (mean_ - mean) * (mean_ - mean);
  const double whole = squares_ + shift;
  // Differences that are all equal to `mean` are the strongest evidence for it: nothing explains them better.
  const double explained = whole > 0 ? n / (n + mixture_) * (shift / whole) : 0;
  return std::log(mixture_ / (n + mixture_)) / 2 - n / 2 * std::log1p(-explained);
}

double ConfidenceSequence::e_value(double mean) const {
  return std::exp(log_e_value(mean));
}

double ConfidenceSequence::largest_e_value() const {
  return std::exp(largest_log_e_value_);
}

std::optional<Interval> ConfidenceSequence::asymptotic_interval(double alpha, unsigned sharpest) const {
  if (count_ < kLeastForAsymptotic) return std::nullopt;
  const double n = count_;
  const double log_alpha = -2 * std::log(alpha);
  const double rho_squared = (log_alpha + std::log(log_alpha) + 1) / std::max(sharpest, kLeastForAsymptotic);
  const double spread = n * rho_squared + 1;
  const double half =
      deviation() * std::sqrt(2 * spread / (n * n * rho_squared) * std::log(std::sqrt(spread) / alpha));
  return Interval{mean_ - half, mean_ + half};
}

double detectable_effect(double deviation, unsigned count) {
  return kDetectable * deviation / std::sqrt(std::max(count, 1U));
}

std::optional<BlocksNeeded> blocks_needed(double deviation, double effect, double alpha, double mixture) {
  BlocksNeeded needed;
  for (unsigned count = 2; count <= kMostNeeded; ++count) {
    const std::optional<double> width = half_width(count, alpha, mixture);
    if (!width) continue;
    if (needed.typical == 0 && *width * deviation <= effect) needed.typical = count;
    if ((*width + kPower80 / std::sqrt(count)) * deviation <= effect) {
      needed.safe = count;
      return needed;
    }
  }
  return std::nullopt;
}

}  // namespace bulkhead
