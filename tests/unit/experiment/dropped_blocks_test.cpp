// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/dropped_blocks.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(DroppedBlocks, none_or_one_is_no_evidence) {
  EXPECT_NEAR(lopsidedness(0, 0), 1, 1e-12);
  EXPECT_NEAR(lopsidedness(1, 0), 1, 1e-12);
  EXPECT_NEAR(lopsidedness(0, 1), 1, 1e-12);
}

// B(8.5, 0.5)/B(0.5, 0.5) = (15!!/16!!) = 2027025/10321920; times 256.
TEST(DroppedBlocks, eight_to_none_is_lopsided_and_seven_is_not) {
  EXPECT_NEAR(lopsidedness(8, 0), 2027025.0 / 10321920 * 256, 1e-9);
  EXPECT_TRUE(is_lopsided(8, 0));
  EXPECT_TRUE(is_lopsided(0, 8));
  EXPECT_FALSE(is_lopsided(7, 0));
}

TEST(DroppedBlocks, losses_on_the_other_side_ask_for_more) {
  EXPECT_FALSE(is_lopsided(11, 1));
  EXPECT_TRUE(is_lopsided(12, 1));
  EXPECT_FALSE(is_lopsided(14, 2));
  EXPECT_TRUE(is_lopsided(2, 15));
}

TEST(DroppedBlocks, many_on_both_sides_are_fair) {
  EXPECT_FALSE(is_lopsided(500, 510));
}

}  // namespace
}  // namespace bulkhead
