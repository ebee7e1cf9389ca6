// SPDX-License-Identifier: Apache-2.0
// What the judge tells of each metric and band.
#include <gtest/gtest.h>

#include "tests/unit/experiment/blocks.h"

namespace bulkhead {
namespace {

using test::Block;
using test::block_of;
using test::run;
using test::two_arms;

TEST(Judge, reports_the_metrics_that_are_not_judged_too) {
  Experiment experiment = two_arms();
  experiment.guards.clear();
  Judge judge(experiment);
  run(judge, 0.05, 0.5, 0.01);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::adopt);
  ASSERT_EQ(result.estimates.size(), 2U);
  EXPECT_EQ(result.estimates[1].metric, "p99");
  EXPECT_NEAR(result.estimates[1].change.value(), std::expm1(0.5), 1e-12);
}

TEST(Judge, reports_each_load_band_apart) {
  Experiment experiment = two_arms();
  experiment.metrics.push_back({.name = "load"});
  experiment.bands = LoadBands{.metric = "load", .edges = {150}};
  Judge judge(experiment);
  for (unsigned i = 0; i < 6; ++i) {
    Block block = block_of(i + 1, {i < 4 ? 0.1 : 0.3, 0, 0});
    for (WindowRecord& window : block.windows) window.metrics[2].value = i < 4 ? 100 : 200;
    judge.add(block.record, block.windows);
  }
  const ArmResult result = judge.result("numa");
  ASSERT_EQ(result.bands.size(), 4U);  // two bands, the primary and a guard each
  EXPECT_FALSE(result.bands[0].from);
  EXPECT_EQ(result.bands[0].to, 150);
  EXPECT_EQ(result.bands[0].estimate.blocks, 4U);
  EXPECT_NEAR(result.bands[0].estimate.change.value(), std::expm1(0.1), 1e-12);
  EXPECT_EQ(result.bands[1].estimate.metric, "p99");
  EXPECT_EQ(result.bands[2].from, 150);
  EXPECT_FALSE(result.bands[2].to);
  EXPECT_EQ(result.bands[2].estimate.blocks, 2U);
  EXPECT_NEAR(result.bands[2].estimate.change.value(), std::expm1(0.3), 1e-12);
}

TEST(Judge, without_a_block_there_is_no_number_but_a_reason) {
  Experiment experiment = two_arms();
  experiment.guards.clear();
  experiment.metrics.push_back({.name = "load"});
  experiment.bands = LoadBands{.metric = "load", .edges = {150}};
  Judge judge(experiment);
  for (unsigned i = 0; i < 6; ++i) {
    Block block = block_of(i + 1, {0.1, 0, 0});
    for (WindowRecord& window : block.windows) {
      window.metrics[1] = {std::nullopt, "the page was gone"};
      window.metrics[2].value = 100;
    }
    judge.add(block.record, block.windows);
  }
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.estimates[0].blocks, 6U);
  EXPECT_EQ(result.estimates[0].why_none, "");
  for (const auto& [estimate, why] :
       {std::pair{&result.estimates[1], "no block has a value of it above 0 in each of its windows"},
        std::pair{&result.bands[1].estimate,
                  "no block that counts was in this band from its first window to its last"}}) {
    EXPECT_EQ(estimate->blocks, 0U);
    EXPECT_EQ(estimate->change, std::nullopt);
    EXPECT_EQ(estimate->p_value, std::nullopt);
    EXPECT_EQ(estimate->why_none, why);
  }
}

}  // namespace
}  // namespace bulkhead
