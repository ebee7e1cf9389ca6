// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/judge.h"

#include <gtest/gtest.h>

#include "tests/unit/experiment/blocks.h"

namespace bulkhead {
namespace {

using test::around;
using test::Block;
using test::block_of;
using test::run;
using test::two_arms;

TEST(Judge, adopts_what_is_better_and_harms_no_guard) {
  Judge judge(two_arms());
  run(judge, 0.05, 0.01, 0.01);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::adopt);
  EXPECT_EQ(result.blocks, 8U);
  // Half widths over the deviation are 2.7301 at 5 % and 1.8027 at 10 %; exp() of 0.05 -/+ 0.0273 and 0.01 +
  // 0.0188.
  EXPECT_EQ(result.reason,
            "rate +5.1 % against none (+2.3 % to +8.0 % at 95 %) in 8 blocks; p99 is at worst +2.8 %, and "
            "+5.0 % is "
            "allowed");
}

TEST(Judge, says_nothing_before_the_sequence_is_bounded) {
  Judge judge(two_arms());
  run(judge, 0.05, 0.01, 0.001, 6);
  EXPECT_EQ(judge.verdict("numa"), ArmVerdict::open);
  EXPECT_FALSE(judge.is_decided());
  EXPECT_EQ(judge.result("numa").reason, "6 of at most 40 blocks: rate +5.1 % against none");
}

TEST(Judge, waits_for_the_least_blocks) {
  Experiment experiment = two_arms();
  experiment.least_blocks = 12;
  Judge judge(experiment);
  run(judge, 0.05, 0.01, 0.001);
  EXPECT_EQ(judge.result("numa").blocks, 12U);
}

TEST(Judge, rejects_what_would_not_matter) {
  Judge judge(two_arms());
  run(judge, 0, 0, 0.005);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::reject);
  EXPECT_EQ(result.blocks, 10U);  // the first at which 0.005 times the half width is below ln(1.01)
  EXPECT_EQ(result.reason,
            "rate +0 % against none (-0.80 % to +0.81 % at 95 %) in 10 blocks: less than the +1.0 % that "
            "would matter");
}

TEST(Judge, rejects_what_breaks_a_guard_however_much_is_gained) {
  Judge judge(two_arms());
  run(judge, 0.2, std::log(1.15), 0.01);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::reject);
  EXPECT_EQ(result.blocks, 7U);  // the mean of seven is a seventh of 0.01 off, the half width 2.5530
  EXPECT_EQ(result.reason,
            "p99 +15.2 % against none (+12.3 % to +18.1 % at 90 %) in 7 blocks: at best +12.3 %, and +5.0 % "
            "is allowed");
}

TEST(Judge, a_guard_of_which_more_is_better_may_fall_by_its_margin) {
  Experiment experiment = two_arms();
  experiment.metrics[1].better = Better::higher;
  Judge held(experiment);
  run(held, 0.05, -0.01, 0.01);
  EXPECT_EQ(held.result("numa").reason,
            "rate +5.1 % against none (+2.3 % to +8.0 % at 95 %) in 8 blocks; p99 is at worst -2.8 %, and "
            "-5.0 % is "
            "allowed");
  Judge broken(experiment);
  run(broken, 0.05, -0.2, 0.01);
  EXPECT_EQ(broken.verdict("numa"), ArmVerdict::reject);
}

TEST(Judge, a_primary_of_which_less_is_better_is_adopted_when_it_falls) {
  Experiment experiment = two_arms();
  experiment.metrics[0].better = Better::lower;
  Judge judge(experiment);
  run(judge, -0.05, 0, 0.01);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::adopt);
  EXPECT_NEAR(result.estimates[0].change.value(), std::expm1(-0.05), 1e-12);
  EXPECT_LT(*result.estimates[0].low, *result.estimates[0].high);
  EXPECT_LT(*result.estimates[0].high, 0);
  EXPECT_LT(*result.estimates[0].detectable, 0.05);
  Judge worse(experiment);
  run(worse, 0.05, 0, 0.01);
  EXPECT_EQ(worse.verdict("numa"), ArmVerdict::reject);
}

TEST(Judge, ends_without_a_verdict_and_says_what_it_would_have_seen) {
  Judge judge(two_arms());
  run(judge, 0.02, 0, 0.1);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::inconclusive);
  EXPECT_EQ(result.blocks, 40U);
  EXPECT_EQ(result.reason,
            "rate +2.0 % against none (-3.1 % to +7.4 % at 95 %) in 40 blocks; a change of +6.0 % would most "
            "likely "
            "have been seen");
  EXPECT_TRUE(result.estimates[0].second_low);
}

// A metric that never moves, a constant in a script for instance.
TEST(Judge, asks_whether_anything_is_measured_where_no_block_differs_from_another) {
  Judge longer(two_arms());
  run(longer, 0, 0, 0);
  EXPECT_EQ(longer.result("numa").verdict, ArmVerdict::reject);
  EXPECT_EQ(
      longer.result("numa").reason,
      "rate +0 % against none (+0 % to +0 % at 95 %) in 7 blocks: less than the +1.0 % that would matter; "
      "no block differs from another: is rate measured at all?");
  Experiment experiment = two_arms();
  experiment.most_blocks = 3;
  Judge shorter(experiment);
  run(shorter, 0, 0, 0, 3);
  EXPECT_EQ(shorter.result("numa").reason,
            "rate +0 % against none in 3 blocks; p99 +0 % against none, and +5.0 % is allowed; no block "
            "differs from another: "
            "is rate measured at all?");
}

TEST(Judge, names_the_guard_that_kept_it_from_a_verdict) {
  Judge judge(two_arms());
  run(judge, 0.1, std::log(1.05), 0.02);
  EXPECT_EQ(judge.result("numa").verdict, ArmVerdict::inconclusive);
  EXPECT_EQ(judge.result("numa").reason,
            "rate +10.5 % against none (+9.4 % to +11.7 % at 95 %) in 40 blocks; p99 +5.0 % against none "
            "(+4.0 % to "
            "+6.0 % at 90 %), and +5.0 % is allowed; a change of +1.2 % would most likely have been seen");
}

TEST(Judge, dropped_blocks_use_up_the_budget_but_count_for_nothing) {
  Judge judge(two_arms());
  for (unsigned number = 1; number <= 40; ++number) {
    Block block = block_of(number, {0.5, 0});
    block.windows[number % 2 == 0 ? 0 : 1].metrics[0].value.reset();
    judge.add(block.record, block.windows);
  }
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::inconclusive);
  EXPECT_EQ(result.reason, "none of 40 blocks counts");
  EXPECT_EQ(result.dropped_here, 20U);
  EXPECT_EQ(result.dropped_control, 20U);
}

TEST(Judge, losses_on_one_side_make_the_result_void) {
  Judge judge(two_arms());
  for (unsigned number = 1; number <= 8; ++number) {
    EXPECT_EQ(judge.verdict("numa"), ArmVerdict::open);
    Block block = block_of(number, {0.5, 0});
    block.windows[1].metrics[0].value.reset();
    judge.add(block.record, block.windows);
  }
  EXPECT_EQ(judge.verdict("numa"), ArmVerdict::invalid);
  EXPECT_EQ(judge.result("numa").reason,
            "8 of 8 blocks were lost by numa and 0 by none: those that are left do not compare them fairly");
}

TEST(Judge, a_hard_limit_ends_the_arm_whatever_it_had_before) {
  Judge judge(two_arms());
  run(judge, 0.05, 0.01, 0.01, 3);
  judge.add({.block = 4,
             .place = 1,
             .arm = "numa",
             .metric = "p99",
             .value = 61.2,
             .text = "p99 was 61.2, above its limit of 50"});
  EXPECT_EQ(judge.verdict("numa"), ArmVerdict::failed_safe);
  EXPECT_EQ(judge.result("numa").reason,
            "p99 was 61.2, above its limit of 50, in block 4, window 2; it was left at once");
  EXPECT_TRUE(judge.is_decided());
}

TEST(Judge, a_control_beyond_a_limit_leaves_nothing_to_compare) {
  Judge judge(two_arms());
  judge.add({.block = 1, .place = 0, .arm = "none", .text = "errors was 5, above its limit of 1"});
  EXPECT_EQ(judge.verdict("numa"), ArmVerdict::invalid);
  EXPECT_EQ(judge.result("numa").reason,
            "the control none itself left a limit in block 1, window 1: errors was 5, above its limit of 1");
}

TEST(Judge, a_verdict_stays_whatever_comes_later) {
  Judge judge(two_arms());
  run(judge, 0.05, 0.01, 0.01);
  const std::string reason = judge.result("numa").reason;
  Block late = block_of(9, {-5, 5});
  judge.add(late.record, late.windows);
  EXPECT_EQ(judge.verdict("numa"), ArmVerdict::adopt);
  EXPECT_EQ(judge.result("numa").reason, reason);
}

TEST(Judge, candidates_share_the_chance_of_error) {
  Experiment experiment = two_arms();
  for (const char* name : {"p1", "p2", "p3"}) experiment.arms.push_back({.name = name});
  const JudgeTerms terms = judge_terms(experiment, 4);
  EXPECT_NEAR(terms.alpha, 0.0125, 1e-15);
  EXPECT_NEAR(terms.metrics[0].alpha, 0.0125, 1e-15);
  EXPECT_NEAR(terms.metrics[1].alpha, 0.025, 1e-15);
  Judge judge(experiment);
  run(judge, 0.05, 0.01, 0.01, 9);
  EXPECT_EQ(judge.verdict("numa"), ArmVerdict::open);  // 8 blocks were enough for one candidate
}

TEST(Judge, five_looks_decide_at_a_look_only) {
  Experiment experiment = two_arms();
  experiment.looks = Looks::five;
  experiment.most_blocks = 20;
  Judge judge(experiment);
  run(judge, 0.05, 0.01, 0.01, 20);
  const ArmResult result = judge.result("numa");
  EXPECT_EQ(result.verdict, ArmVerdict::adopt);
  EXPECT_EQ(result.blocks, 8U);
}

TEST(Judge, gives_the_same_again_from_what_was_recorded) {
  const Experiment experiment = two_arms();
  ExperimentResult result;
  Judge judge(experiment);
  for (unsigned i = 0; i < 8; ++i) {
    Block block = block_of(i + 1, {around(0.05, 0.01, i), around(0.01, 0.01, i)});
    judge.add(block.record, block.windows);
    result.blocks.push_back(block.record);
    result.windows.insert(result.windows.end(), block.windows.begin(), block.windows.end());
  }
  judge.report(2, result);
  EXPECT_EQ(result.verdict, "adopt numa: " + judge.result("numa").reason);
  ExperimentResult again = result;
  again.candidates.clear();
  again.verdict.clear();
  judge_again(experiment, again);
  EXPECT_EQ(again.verdict, result.verdict);
  EXPECT_EQ(again.candidates[0].reason, result.candidates[0].reason);
}

}  // namespace
}  // namespace bulkhead
