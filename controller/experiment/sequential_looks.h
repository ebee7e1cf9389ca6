// SPDX-License-Identifier: Apache-2.0
// A fixed budget of blocks with a few looks on the way (group sequential, O'Brien-Fleming's spending of the
// error): stricter than one look at first, hardly stricter at the end.
#pragma once

#include <optional>
#include <vector>

#include "controller/experiment/confidence_sequence.h"

namespace bulkhead {

inline constexpr unsigned kLooks = 5;

// Deviations from zero at which each of `looks` equally spaced looks rejects, two-sided: 4.877, 3.357, 2.680,
// 2.290, 2.031 for five at 5 %.
std::vector<double> obrien_fleming_bounds(double alpha, unsigned looks = kLooks);

class SequentialLooks {
 public:
  SequentialLooks(double alpha, unsigned most_blocks);

  // The interval at a look, at most_blocks·k/5 rounded up; none between looks. Student's t stands for the
  // normal distribution, since the noise is estimated. `last`: no more blocks will come, though some may have
  // been dropped; the last look then comes early, which only makes it stricter than it has to be.
  std::optional<Interval> interval(const ConfidenceSequence& differences, bool last) const;

 private:
  unsigned most_blocks_;
  std::vector<double> bounds_;
};

}  // namespace bulkhead
