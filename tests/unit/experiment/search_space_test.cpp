// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_space.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace bulkhead {
namespace {

SearchSpace space() {
  return SearchSpace({.ccds = {2, 4, 8},
                      .ways = {4, 8, 16},
                      .bandwidth = {Rate{12'000'000'000}, Rate{24'000'000'000}, Unlimited{}},
                      .threads_per_core = {1, 2}});
}

TEST(SearchSpace, numbers_every_combination_once) {
  const SearchSpace all = space();
  EXPECT_EQ(all.size(), 54U);
  EXPECT_EQ(all.levels(), (std::vector<std::size_t>{3, 3, 3, 2}));
  EXPECT_EQ(describe(all.point(0)), "2 CCDs, 4 ways, 12 GB/s, 1 thread per core");
  EXPECT_EQ(describe(all.point(1)), "4 CCDs, 4 ways, 12 GB/s, 1 thread per core");
  EXPECT_EQ(describe(all.point(53)), "8 CCDs, 16 ways, unlimited bandwidth, 2 threads per core");
  for (std::size_t one = 0; one < all.size(); ++one) {
    for (std::size_t other = 0; other < one; ++other) EXPECT_FALSE(all.point(one) == all.point(other));
  }
}

TEST(SearchSpace, coordinates_are_logarithms_but_for_ways) {
  const std::vector<double> middle = space().coordinates(space().at_shares(std::array{0.5, 0.5, 0.5, 0.0}));
  ASSERT_EQ(middle.size(), 4U);
  EXPECT_NEAR(middle[0], 0.5, 1e-12);                            // 4 between 2 and 8
  EXPECT_NEAR(middle[1], 1.0 / 3, 1e-12);                        // 8 between 4 and 16
  EXPECT_NEAR(middle[2], std::log(2.0) / std::log(3.0), 1e-12);  // "unlimited" stands for 36 GB/s
  EXPECT_EQ(middle[3], 0);
}

TEST(SearchSpace, a_want_with_one_value_is_no_coordinate_but_a_value) {
  const SearchSpace less({.ccds = {6}, .ways = {4, 8}});
  EXPECT_EQ(less.size(), 2U);
  EXPECT_EQ(less.coordinates(1), (std::vector<double>{1}));
  EXPECT_EQ(describe(less.point(1)), "6 CCDs, 8 ways");
  EXPECT_FALSE(less.point(1).bandwidth);
}

TEST(SearchSpace, percents_of_the_bandwidth_are_amounts_too) {
  const SearchSpace percents({.bandwidth = {Percent{1000}, Percent{10'000}}});
  EXPECT_EQ(describe(percents.point(0)), "10% of the bandwidth");
}

}  // namespace
}  // namespace bulkhead
