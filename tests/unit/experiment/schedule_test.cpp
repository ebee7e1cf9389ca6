// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/schedule.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace bulkhead {
namespace {

std::string written(Schedule& schedule, unsigned blocks) {
  std::string text;
  for (unsigned i = 0; i < blocks; ++i) {
    const std::optional<PlannedBlock> block = schedule.next();
    if (!block) return text + "end";
    text += block->candidate + block->order[0] + " ";
  }
  return text;
}

// Computed apart, from the definition of the Mersenne Twister: on every machine the same.
TEST(Schedule, follows_from_its_seed) {
  Schedule schedule(7, {"a", "b", "c"});
  EXPECT_EQ(written(schedule, 9), "aB bA cA aA cA bB aA cB bB ");
  Schedule again(7, {"a", "b", "c"}), other(8, {"a", "b", "c"});
  EXPECT_EQ(written(again, 9), "aB bA cA aA cA bB aA cB bB ");
  EXPECT_NE(written(other, 9), "aB bA cA aA cA bB aA cB bB ");
}

TEST(Schedule, numbers_its_blocks_and_writes_orders_out) {
  Schedule schedule(1, {"a"});
  std::set<std::string> orders;
  for (unsigned number = 1; number <= 20; ++number) {
    const std::optional<PlannedBlock> block = schedule.next();
    EXPECT_EQ(block->number, number);
    orders.insert(block->order);
  }
  EXPECT_EQ(orders, (std::set<std::string>{"ABBA", "BAAB"}));
}

TEST(Schedule, gives_each_candidate_a_block_a_round) {
  Schedule schedule(3, {"a", "b", "c", "d"});
  for (int round = 0; round < 50; ++round) {
    std::set<std::string> seen;
    for (int i = 0; i < 4; ++i) seen.insert(schedule.next()->candidate);
    EXPECT_EQ(seen.size(), 4U);
  }
}

TEST(Schedule, coins_and_places_are_fair) {
  Schedule schedule(11, {"a", "b"});
  int control_first = 0, a_first = 0;
  for (int round = 0; round < 10'000; ++round) {
    const PlannedBlock one = *schedule.next(), two = *schedule.next();
    control_first += one.order == "ABBA";
    control_first += two.order == "ABBA";
    a_first += one.candidate == "a";
  }
  EXPECT_NEAR(control_first, 10'000, 300);  // four deviations
  EXPECT_NEAR(a_first, 5'000, 200);
}

TEST(Schedule, a_candidate_that_is_out_changes_nothing_for_the_others) {
  Schedule whole(5, {"a", "b", "c"}), less(5, {"a", "b", "c"});
  less.drop("b");
  std::map<std::string, std::string> orders_whole, orders_less;
  for (int i = 0; i < 60; ++i) {
    const PlannedBlock block = *whole.next();
    orders_whole[block.candidate] += block.order[0];
  }
  for (int i = 0; i < 40; ++i) {
    const PlannedBlock block = *less.next();
    orders_less[block.candidate] += block.order[0];
  }
  EXPECT_EQ(orders_less["a"], orders_whole["a"]);
  EXPECT_EQ(orders_less["c"], orders_whole["c"]);
  EXPECT_EQ(orders_less.count("b"), 0U);
}

TEST(Schedule, ends_when_all_are_out) {
  Schedule schedule(5, {"a", "b"});
  schedule.drop("a");
  schedule.drop("unknown");
  EXPECT_TRUE(schedule.next());
  schedule.drop("b");
  EXPECT_FALSE(schedule.next());
}

TEST(ExpectedDuration, is_that_of_the_blocks_the_effect_needs) {
  const DurationQuestion question{.candidates = 2,
                                  .least_blocks = 3,
                                  .most_blocks = 40,
                                  .window_seconds = 30,
                                  .washout_seconds = 5,
                                  .effect = 0.02,
                                  .noise = 0.03,
                                  .alpha = 0.05,
                                  .mixture = 4};
  const ExpectedDuration duration = expected_duration(question);
  EXPECT_EQ(duration.block_seconds, 140);
  EXPECT_EQ(duration.typical_blocks, 26U);
  EXPECT_EQ(duration.safe_blocks, 38U);
  EXPECT_EQ(duration.typical_seconds, 2 * 26 * 140);
  EXPECT_EQ(duration.most_seconds, 2 * 40 * 140);
}

TEST(ExpectedDuration, is_unknown_where_the_effect_would_not_be_seen) {
  const ExpectedDuration duration = expected_duration(
      {.most_blocks = 10, .window_seconds = 30, .effect = 0.001, .noise = 0.03, .mixture = 4});
  EXPECT_FALSE(duration.typical_blocks);
  EXPECT_FALSE(duration.typical_seconds);
  EXPECT_EQ(duration.most_seconds, 1200);
}

TEST(ExpectedDuration, is_never_below_the_least_blocks) {
  EXPECT_EQ(
      expected_duration({.least_blocks = 20, .most_blocks = 40, .effect = 1, .noise = 0.01, .mixture = 4})
          .typical_blocks,
      20U);
}

}  // namespace
}  // namespace bulkhead
