// SPDX-License-Identifier: Apache-2.0
// The references were computed with 40 decimal digits from the formulas of Wang and Ramdas (2023) and of
// Waudby-Smith et al. (2021).
#include "controller/experiment/confidence_sequence.h"

#include <cmath>
#include <gtest/gtest.h>

namespace bulkhead {
namespace {

constexpr double kDifferences[] = {0.021, 0.013, 0.034, -0.004, 0.027, 0.018, 0.009, 0.022};

ConfidenceSequence sequence_of(unsigned count) {
  ConfidenceSequence sequence;
  for (unsigned i = 0; i < count; ++i) sequence.add(kDifferences[i]);
  return sequence;
}

TEST(ConfidenceSequence, has_the_mean_and_deviation_of_its_differences) {
  const ConfidenceSequence sequence = sequence_of(8);
  EXPECT_EQ(sequence.count(), 8U);
  EXPECT_NEAR(sequence.mean(), 0.0175, 1e-15);
  EXPECT_NEAR(sequence.deviation(), 0.011649647450214351, 1e-15);
  EXPECT_EQ(sequence_of(1).deviation(), 0);
}

TEST(ConfidenceSequence, is_unbounded_while_so_few_differences_say_nothing) {
  for (unsigned count = 0; count <= 6; ++count) EXPECT_FALSE(sequence_of(count).interval(0.05)) << count;
  EXPECT_TRUE(sequence_of(7).interval(0.05));
}

TEST(ConfidenceSequence, interval_is_that_of_the_t_mixture) {
  const std::optional<Interval> seven = sequence_of(7).interval(0.05);
  EXPECT_NEAR(seven->low, -0.12635360954821273, 1e-13);
  EXPECT_NEAR(seven->high, 0.16006789526249846, 1e-13);
  const std::optional<Interval> eight = sequence_of(8).interval(0.05);
  EXPECT_NEAR(eight->low, -0.012251001064772943, 1e-14);
  EXPECT_NEAR(eight->high, 0.047251001064772945, 1e-14);
}

TEST(ConfidenceSequence, one_difference_is_no_evidence_at_all) {
  EXPECT_EQ(sequence_of(1).e_value(), 1);
  EXPECT_EQ(sequence_of(1).e_value(0.021), 1);
  EXPECT_EQ(sequence_of(1).largest_e_value(), 1);
}

TEST(ConfidenceSequence, e_value_is_that_of_the_t_mixture) {
  EXPECT_NEAR(sequence_of(2).e_value(), 1.1934414880972353, 1e-12);
  EXPECT_NEAR(sequence_of(4).e_value(), 1.3921722079612067, 1e-12);
  EXPECT_NEAR(sequence_of(8).e_value(), 7.92020789297266, 1e-12);
}

TEST(ConfidenceSequence, remembers_its_largest_e_value) {
  EXPECT_NEAR(sequence_of(4).largest_e_value(), 1.5264092755924246, 1e-12);  // of the third
}

TEST(ConfidenceSequence, interval_holds_exactly_the_means_with_little_evidence_against_them) {
  const ConfidenceSequence sequence = sequence_of(8);
  const std::optional<Interval> interval = sequence.interval(0.05);
  EXPECT_NEAR(sequence.e_value(interval->low), 20, 1e-6);
  EXPECT_NEAR(sequence.e_value(interval->high), 20, 1e-6);
}

TEST(ConfidenceSequence, equal_differences_are_evidence_for_themselves_only) {
  ConfidenceSequence sequence;
  for (int i = 0; i < 8; ++i) sequence.add(0.5);
  EXPECT_NEAR(sequence.e_value(0.5), std::sqrt(4 / 12.0), 1e-12);
  EXPECT_NEAR(sequence.e_value(0), std::pow(3.0, 3.5), 1e-9);  // (12/4)^((8-1)/2)
  EXPECT_EQ(sequence.interval(0.05)->low, 0.5);
  EXPECT_EQ(sequence.interval(0.05)->high, 0.5);
}

TEST(ConfidenceSequence, second_opinion_is_the_asymptotic_sequence_from_30_differences_on) {
  ConfidenceSequence sequence;
  for (int i = 0; i < 29; ++i) sequence.add(i % 2 == 0 ? 0.03 : 0.01);
  EXPECT_FALSE(sequence.asymptotic_interval(0.05, 40));
  sequence.add(0.01);
  const std::optional<Interval> interval = sequence.asymptotic_interval(0.05, 40);
  EXPECT_NEAR(interval->low, 0.02 - 0.00564316897604771, 1e-14);
  EXPECT_NEAR(interval->high, 0.02 + 0.00564316897604771, 1e-14);
}

TEST(HalfWidth, shrinks_with_the_differences) {
  EXPECT_FALSE(half_width(6, 0.05, 4));
  EXPECT_NEAR(*half_width(8, 0.05, 4), 2.7301390970635007, 1e-12);
  EXPECT_NEAR(*half_width(40, 0.05, 4), 0.5126575709756447, 1e-12);
}

TEST(MixtureFor, is_the_squared_ratio_of_noise_and_effect_within_its_bounds) {
  EXPECT_NEAR(mixture_for(0.03, 0.01), 9, 1e-12);
  EXPECT_EQ(mixture_for(0.001, 0.01), 1);
  EXPECT_EQ(mixture_for(1, 0.01), 25);
  EXPECT_EQ(mixture_for(0, 0.01), 4);
  EXPECT_EQ(mixture_for(0.01, 0), 4);
}

TEST(BlocksNeeded, are_those_at_which_the_interval_is_as_narrow_as_the_effect) {
  const std::optional<BlocksNeeded> needed = blocks_needed(0.03, 0.02, 0.05, 4);
  EXPECT_EQ(needed->typical, 26U);  // the half width over the deviation is 0.6637 there, 0.68 one before
  EXPECT_FALSE(blocks_needed(1, 0.001, 0.05, 4));
}

TEST(DetectableEffect, shrinks_with_the_root_of_the_differences) {
  EXPECT_NEAR(detectable_effect(0.02, 16), 0.01825, 1e-15);
}

}  // namespace
}  // namespace bulkhead
