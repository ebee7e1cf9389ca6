// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/washout_check.h"

#include <gtest/gtest.h>

#include "tests/unit/experiment/blocks.h"

namespace bulkhead {
namespace {

using test::around;
using test::Block;
using test::block_of;

// Blocks whose halves differ by `every` in all windows, `cold` more in switched ones, and by `carried`
// towards the arm before (the candidate is the better one).
WashoutCheck checked(double every, double cold, double carried, unsigned blocks = 12) {
  WashoutCheck check(0.01);
  for (unsigned i = 0; i < blocks; ++i) {
    Block block = block_of(i + 1, {0, 0}, "numa", i % 3 == 0 ? "BAAB" : "ABBA");
    for (WindowRecord& window : block.windows) {
      double drift = around(every, 0.001, i);
      if (window.switched) drift += around(cold, 0.001, i);
      if (window.switched) drift += window.arm == "numa" ? -carried : carried;
      window.first_half = 100 * std::exp(drift);
      window.second_half = 100;
    }
    check.add(block.record, block.windows);
  }
  return check;
}

TEST(WashoutCheck, a_drift_of_all_windows_is_no_fault_of_the_washout) {
  const WashoutReport report = checked(0.2, 0, 0).report(2);
  EXPECT_FALSE(report.too_short);
  EXPECT_EQ(report.seconds, 2);
  EXPECT_NEAR(*report.drift, 0, 1e-12);
  EXPECT_EQ(report.text,
            "long enough: the first half of a window after a switch is +0 % off the second in 12 blocks");
}

TEST(WashoutCheck, finds_a_cold_start) {
  const WashoutReport report = checked(0.2, -0.04, 0).report(2);
  EXPECT_TRUE(report.too_short);
  EXPECT_NEAR(*report.drift, std::expm1(-0.04), 1e-12);
  EXPECT_EQ(report.text,
            "too short: the first half of a window after a switch is -3.9 % off the second in 12 blocks");
}

TEST(WashoutCheck, finds_what_is_left_of_the_arm_before) {
  const WashoutReport report = checked(0.2, 0, 0.03).report(2);
  EXPECT_TRUE(report.too_short);
  EXPECT_NEAR(*report.drift, std::expm1(-0.06), 1e-12);
}

TEST(WashoutCheck, a_drift_that_is_too_small_to_matter_is_long_enough) {
  EXPECT_FALSE(checked(0, -0.004, 0).too_short());
}

TEST(WashoutCheck, says_so_where_there_is_nothing_to_check) {
  WashoutCheck check(0.01);
  const Block block = block_of(1, {0, 0});
  check.add(block.record, block.windows);
  EXPECT_EQ(check.report(2).text, "not checked: the primary metric has no halves of a window");
  EXPECT_FALSE(check.report(2).drift);
}

TEST(TimeConstant, is_that_of_an_exponential_approach) {
  std::vector<StepSample> response;
  for (int i = 0; i <= 300; ++i) response.push_back({i * 0.1, 8 - 5 * std::exp(-i * 0.1 / 2)});
  EXPECT_NEAR(*time_constant(response), 2, 0.101);
  for (StepSample& sample : response) sample.value = -sample.value;
  EXPECT_NEAR(*time_constant(response), 2, 0.101);
}

TEST(TimeConstant, is_none_without_a_step) {
  std::vector<StepSample> response;
  for (int i = 0; i < 30; ++i) response.push_back({i * 1.0, 5 + (i % 2 == 0 ? 0.1 : -0.1)});
  EXPECT_FALSE(time_constant(response));
  EXPECT_FALSE(time_constant(std::vector<StepSample>(3)));
}

TEST(WashoutFor, is_five_time_constants_and_at_least_two_seconds) {
  EXPECT_EQ(washout_for(0.1), 2);
  EXPECT_EQ(washout_for(3), 15);
}

}  // namespace
}  // namespace bulkhead
