// SPDX-License-Identifier: Apache-2.0
// A log-linear histogram: quantiles of any number of samples in 40 KiB, off by less than 1 %.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bulkhead {

class LatencyHistogram {
 public:
  LatencyHistogram();

  // Samples from 2^-40 to below 2^40 in any unit; below that they are 0. False for what is no sample:
  // negative, not a number, or larger.
  bool add(double sample);

  std::uint64_t count() const { return count_; }
  // The smallest sample that at least that share of all samples do not exceed; none without samples.
  std::optional<double> quantile(double share) const;

 private:
  std::vector<std::uint64_t> counts_;  // of 0, then 64 buckets in each octave
  std::uint64_t count_ = 0;
};

}  // namespace bulkhead
