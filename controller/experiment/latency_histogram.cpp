// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace bulkhead {
namespace {

constexpr int kLeastExponent = -40;
constexpr int kMostExponent = 40;
// Of an octave. A bucket's middle is at most 1/128 of its samples away from them.
constexpr int kBuckets = 64;
constexpr std::size_t kCounts = 1 + static_cast<std::size_t>((kMostExponent - kLeastExponent) * kBuckets);

std::size_t bucket_of(double sample) {
  int exponent = 0;
  const double fraction = std::frexp(sample, &exponent);  // from a half to below one
  --exponent;
  if (sample == 0 || exponent < kLeastExponent) return 0;
  const int within = static_cast<int>((2 * fraction - 1) * kBuckets);
  return 1 + static_cast<std::size_t>((exponent - kLeastExponent) * kBuckets + within);
}

double middle_of(std::size_t bucket) {
  if (bucket == 0) return 0;
  const int index = static_cast<int>(bucket - 1);
  return std::ldexp(1 + (index % kBuckets + 0.5) / kBuckets, kLeastExponent + index / kBuckets);
}

}  // namespace

LatencyHistogram::LatencyHistogram() : counts_(kCounts) {}

bool LatencyHistogram::add(double sample) {
  if (!(sample >= 0) || sample >= std::ldexp(1.0, kMostExponent)) return false;
  ++counts_[bucket_of(sample)];
  ++count_;
  return true;
}

std::optional<double> LatencyHistogram::quantile(double share) const {
  if (count_ == 0) return std::nullopt;
  const double rank = std::max(1.0, std::ceil(share * static_cast<double>(count_)));
  std::uint64_t passed = 0;
  std::size_t bucket = 0;
  while (bucket + 1 < kCounts && static_cast<double>(passed + counts_[bucket]) < rank)
    passed += counts_[bucket++];
  return middle_of(bucket);
}

}  // namespace bulkhead
