// SPDX-License-Identifier: Apache-2.0
// What is done without a design: all windows of one arm, then all of the other; and a t-test after every
// block.
#pragma once

#include <span>
#include <vector>

namespace bulkhead::test {

// Two-sided critical values of Student's t at 5 %, by degrees of freedom, computed once.
double critical_t(unsigned degrees);

// Whether the t-test (pooled variance) of both halves of the windows calls them different.
bool differs_before_after(std::span<const double> windows);

// A t-test of the mean of all differences so far.
class PeekingTest {
 public:
  bool add(double difference);  // significant now

 private:
  unsigned count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace bulkhead::test
