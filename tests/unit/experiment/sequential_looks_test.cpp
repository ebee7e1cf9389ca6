// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/sequential_looks.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(ObrienFleming, bounds_of_five_looks_are_the_published_ones) {
  const std::vector<double> bounds = obrien_fleming_bounds(0.05);
  ASSERT_EQ(bounds.size(), 5U);
  EXPECT_NEAR(bounds[0], 4.877, 5e-4);
  EXPECT_NEAR(bounds[1], 3.357, 5e-4);
  EXPECT_NEAR(bounds[2], 2.680, 5e-4);
  EXPECT_NEAR(bounds[3], 2.290, 5e-4);
  EXPECT_NEAR(bounds[4], 2.031, 5e-4);
}

TEST(ObrienFleming, one_look_is_the_plain_test) {
  const std::vector<double> bounds = obrien_fleming_bounds(0.05, 1);
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_NEAR(bounds[0], 1.959963984540054, 1e-12);
}

ConfidenceSequence alternating(unsigned count) {
  ConfidenceSequence sequence;
  for (unsigned i = 0; i < count; ++i) sequence.add(i % 2 == 0 ? 0.03 : 0.01);
  return sequence;
}

TEST(SequentialLooks, has_an_interval_at_fifths_of_the_budget_only) {
  const SequentialLooks looks(0.05, 12);  // at 3, 5, 8, 10 and 12
  for (const unsigned count : {2U, 4U, 6U, 7U, 9U, 11U, 13U}) {
    EXPECT_FALSE(looks.interval(alternating(count), false)) << count;
  }
  for (const unsigned count : {3U, 5U, 8U, 10U, 12U}) {
    EXPECT_TRUE(looks.interval(alternating(count), false)) << count;
  }
}

// Half width of the last look: 2.1788, the quantile of t with 19 degrees at the normal's tail beyond 2.031,
// times the deviation 0.0102598 over the root of 20.
TEST(SequentialLooks, last_look_is_students_t_at_the_bounds_tail) {
  const SequentialLooks looks(0.05, 20);
  const std::optional<Interval> interval = looks.interval(alternating(20), false);
  EXPECT_NEAR(interval->low, 0.02 - 0.004999, 5e-6);
  EXPECT_NEAR(interval->high, 0.02 + 0.004999, 5e-6);
}

TEST(SequentialLooks, dropped_blocks_make_the_last_look_come_early) {
  const SequentialLooks looks(0.05, 20);
  EXPECT_FALSE(looks.interval(alternating(18), false));
  EXPECT_TRUE(looks.interval(alternating(18), true));
  EXPECT_FALSE(looks.interval(alternating(1), true));
}

}  // namespace
}  // namespace bulkhead
