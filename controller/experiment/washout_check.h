// SPDX-License-Identifier: Apache-2.0
// Whether the washout lets an arm settle before it is measured: if it does not, the first half of a window
// after a switch differs from the second half.
#pragma once

#include <span>

#include "controller/experiment/confidence_sequence.h"
#include "controller/experiment/result.h"

namespace bulkhead {

class WashoutCheck {
 public:
  // A drift of less than half of it (on the log scale) biases the effect by less than a quarter of it.
  explicit WashoutCheck(double smallest_effect) : smallest_effect_(smallest_effect) {}

  // The windows of one block. Those without halves are passed over.
  void add(const BlockRecord& block, std::span<const WindowRecord> windows);
  bool too_short() const;
  WashoutReport report(double seconds) const;

 private:
  bool found(const ConfidenceSequence& drift) const;

  double smallest_effect_;
  // What every switch brings (a cold cache): switched windows less the block's others, which drift alike.
  ConfidenceSequence cold_;
  // What is left of the arm before: switches to the candidate less switches to the control.
  ConfidenceSequence carried_;
};

// The time constant of a step response: from its first sample to when 1 - 1/e of the change to the mean of
// its last third is done. None with fewer than six samples, or if the change is not twice the noise of that
// last third.
struct StepSample {
  double seconds = 0;  // rising
  double value = 0;
};
std::optional<double> time_constant(std::span<const StepSample> response);
// At least 2 s, else five time constants.
double washout_for(double time_constant);

}  // namespace bulkhead
