// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/block_differences.h"

#include <gtest/gtest.h>
#include <limits>

#include "tests/unit/experiment/blocks.h"

namespace bulkhead {
namespace {

using test::Block;
using test::block_of;
using test::two_arms;

TEST(BlockDifferences, are_the_candidates_logarithm_less_the_controls) {
  const Block block = block_of(1, {0.05, -0.02});
  const BlockDifferences found = block_differences(two_arms(), block.record, block.windows);
  ASSERT_EQ(found.metrics.size(), 2U);
  EXPECT_NEAR(*found.metrics[0], 0.05, 1e-12);
  EXPECT_NEAR(*found.metrics[1], -0.02, 1e-12);
  EXPECT_FALSE(found.band);
}

TEST(BlockDifferences, a_drift_that_is_linear_over_the_block_cancels) {
  for (const char* order : {"ABBA", "BAAB"}) {
    Block block = block_of(1, {0.05, 0}, "numa", order);
    for (unsigned i = 0; i < 4; ++i) *block.windows[i].metrics[0].value *= std::exp(0.3 * i);
    EXPECT_NEAR(*block_differences(two_arms(), block.record, block.windows).metrics[0], 0.05, 1e-12);
  }
}

TEST(BlockDifferences, a_metric_that_is_not_judged_may_be_missing) {
  Experiment experiment = two_arms();
  experiment.guards.clear();
  Block block = block_of(1, {0.05, 0});
  block.windows[2].metrics[1] = {std::nullopt, "gone"};
  check_block(experiment, block.windows, block.record);
  EXPECT_EQ(block.record.dropped, "");
  const BlockDifferences found = block_differences(experiment, block.record, block.windows);
  EXPECT_TRUE(found.metrics[0]);
  EXPECT_FALSE(found.metrics[1]);
}

TEST(CheckBlock, drops_a_block_with_a_window_without_a_value) {
  Block block = block_of(1, {0.05, 0});
  block.windows[1].metrics[1] = {std::nullopt, "the page http://h/ did not answer within 2 s"};
  check_block(two_arms(), block.windows, block.record);
  EXPECT_EQ(block.record.dropped, "window 2, numa: p99: the page http://h/ did not answer within 2 s");
  EXPECT_EQ(block.record.dropped_arm, "numa");
}

TEST(CheckBlock, drops_a_block_with_a_value_that_has_no_logarithm) {
  for (const double bad :
       {0.0, -3.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Block block = block_of(1, {0.05, 0});
    block.windows[3].metrics[0].value = bad;
    check_block(two_arms(), block.windows, block.record);
    EXPECT_EQ(block.record.dropped_arm, "none") << bad;
  }
  Block block = block_of(1, {0.05, 0});
  block.windows[3].metrics[0].value = 0;
  check_block(two_arms(), block.windows, block.record);
  EXPECT_EQ(block.record.dropped,
            "window 4, none: rate: its value is 0, and only values above 0 can be compared");
}

TEST(CheckBlock, a_block_that_was_cut_short_is_nobodys_fault) {
  Block block = block_of(1, {0.05, 0});
  block.windows.pop_back();
  check_block(two_arms(), block.windows, block.record);
  EXPECT_EQ(block.record.dropped, "it was not finished");
  EXPECT_EQ(block.record.dropped_arm, "");
}

TEST(CheckBlock, keeps_the_reason_that_is_there) {
  Block block = block_of(1, {0.05, 0});
  block.record.dropped = "the host was throttled";
  block.windows.clear();
  check_block(two_arms(), block.windows, block.record);
  EXPECT_EQ(block.record.dropped, "the host was throttled");
}

std::optional<std::size_t> band_with(const std::vector<std::optional<double>>& loads) {
  Experiment experiment = two_arms();
  experiment.metrics.push_back({.name = "load"});
  experiment.bands = LoadBands{.metric = "load", .edges = {10, 20}};
  Block block = block_of(1, {0, 0, 0});
  for (std::size_t i = 0; i < 4; ++i) block.windows[i].metrics[2].value = loads[i];
  return block_differences(experiment, block.record, block.windows).band;
}

TEST(LoadBand, is_that_of_all_four_windows) {
  EXPECT_EQ(band_with({0, 1, 2, 9.9}), 0U);
  EXPECT_EQ(band_with({10, 11, 12, 19}), 1U);
  EXPECT_EQ(band_with({20, 21, 22, 1e9}), 2U);
}

TEST(LoadBand, is_none_where_the_windows_differ_or_one_is_unknown) {
  EXPECT_FALSE(band_with({9, 11, 11, 11}));
  EXPECT_FALSE(band_with({11, 11, std::nullopt, 11}));
  EXPECT_FALSE(band_with({11, 11, std::numeric_limits<double>::quiet_NaN(), 11}));
}

}  // namespace
}  // namespace bulkhead
