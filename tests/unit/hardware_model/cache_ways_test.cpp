// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/cache_ways.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/unit/hardware_model/scenes.h"

namespace bulkhead::sim {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kFast = 1e18;  // bytes/s; only the cache's own settling time is left

class CacheWaysTest : public ::testing::Test {
 protected:
  CacheWays caches_{small_machine()};
  unsigned a_ = caches_.add_holder();
  unsigned b_ = caches_.add_holder();
};

TEST_F(CacheWaysTest, shares_a_cache_by_insertion_rate_without_masks) {
  caches_.pass(std::vector<Inflow>{{a_, 0, {0xffff}, 3e9}, {b_, 0, {0xffff}, 1e9}}, 1000);
  EXPECT_DOUBLE_EQ(caches_.bytes(a_, 0), 24 * kMiB);
  EXPECT_DOUBLE_EQ(caches_.bytes(b_, 0), 8 * kMiB);
  EXPECT_EQ(caches_.bytes(a_, 1), 0);
}

TEST_F(CacheWaysTest, fills_no_way_outside_of_the_mask) {
  caches_.pass(std::vector<Inflow>{{a_, 0, {0x000f}, 9e9}, {b_, 0, {0xfff8}, 4e9}}, 1000);
  EXPECT_EQ(caches_.bytes_in(a_, 0, {0xfff0}), 0);
  EXPECT_EQ(caches_.bytes_in(b_, 0, {0x0007}), 0);
  // Way 3 is both's: 9 / 4 GB/s of one, 4 / 13 of the other.
  EXPECT_DOUBLE_EQ(caches_.bytes_in(a_, 0, {0x0008}), 2 * kMiB * (9 / 4.0) / (9 / 4.0 + 4 / 13.0));
}

TEST_F(CacheWaysTest, falls_slowly_after_a_shrink_as_others_fill_the_ways) {
  caches_.pass(std::vector<Inflow>{{a_, 0, {0xffff}, kFast}}, 1000);
  ASSERT_DOUBLE_EQ(caches_.bytes(a_, 0), 32 * kMiB);
  const std::vector<Inflow> shrunk{{a_, 0, {0x00ff}, kFast}, {b_, 0, {0xff00}, kFast}};
  caches_.pass(shrunk, 0.5);  // the settling time
  EXPECT_NEAR(caches_.bytes(a_, 0), (16 + 16 * std::exp(-1)) * kMiB, 10);
  EXPECT_NEAR(caches_.bytes(b_, 0), (16 - 16 * std::exp(-1)) * kMiB, 10);
  caches_.pass(shrunk, 1000);
  EXPECT_DOUBLE_EQ(caches_.bytes(a_, 0), 16 * kMiB);
}

TEST_F(CacheWaysTest, falls_more_slowly_where_little_comes_in) {
  caches_.pass(std::vector<Inflow>{{a_, 0, {0xffff}, kFast}}, 1000);
  caches_.pass(std::vector<Inflow>{{b_, 0, {0x8000}, 2 * kMiB}}, 1.5);  // a way in a second
  EXPECT_NEAR(caches_.bytes(a_, 0), (30 + 2 * std::exp(-1)) * kMiB, 10);
}

TEST_F(CacheWaysTest, keeps_lines_in_ways_that_nobody_fills) {
  caches_.pass(std::vector<Inflow>{{a_, 0, {0xffff}, kFast}}, 1000);
  caches_.pass(std::vector<Inflow>{{a_, 0, {0x00ff}, kFast}}, 1000);
  EXPECT_DOUBLE_EQ(caches_.bytes(a_, 0), 32 * kMiB);
}

TEST_F(CacheWaysTest, of_what_has_been_replaced_nothing_is_left_in_the_end) {
  caches_.pass(std::vector<Inflow>{{a_, 0, {0xffff}, kFast}}, 1000);
  caches_.pass(std::vector<Inflow>{{b_, 0, {0x00ff}, 16 * kMiB}}, 60);  // a way in a second
  EXPECT_EQ(caches_.bytes_in(a_, 0, WayMask{0x00ff}), 0);
  EXPECT_DOUBLE_EQ(caches_.bytes_in(a_, 0, WayMask{0xff00}), 16 * kMiB);
}

TEST_F(CacheWaysTest, comes_to_the_same_in_one_step_or_many) {
  const std::vector<Inflow> inflows{{a_, 0, {0xff}, 5e6}, {b_, 0, {0xfff0}, 3e7}};
  CacheWays cut = caches_;
  caches_.pass(inflows, 10);
  for (int step = 0; step < 1000; ++step) cut.pass(inflows, 0.01);
  EXPECT_NEAR(cut.bytes(a_, 0), caches_.bytes(a_, 0), 1e-3);
  EXPECT_NEAR(cut.bytes(b_, 0), caches_.bytes(b_, 0), 1e-3);
}

}  // namespace
}  // namespace bulkhead::sim
