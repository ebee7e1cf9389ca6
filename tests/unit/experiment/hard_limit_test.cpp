// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/hard_limit.h"

#include <gtest/gtest.h>
#include <limits>

namespace bulkhead {
namespace {

TEST(HardLimit, is_left_beyond_it_and_not_at_it) {
  const HardLimit above{.metric = "p99", .above = 50};
  EXPECT_EQ(beyond_limit(above, 61.2), "p99 was 61.2, above its limit of 50");
  EXPECT_FALSE(beyond_limit(above, 50));
  EXPECT_FALSE(beyond_limit(above, -1));
  const HardLimit below{.metric = "rate", .below = 100};
  EXPECT_EQ(beyond_limit(below, 99.5), "rate was 99.5, below its limit of 100");
  EXPECT_FALSE(beyond_limit(below, 100));
}

TEST(HardLimit, is_not_left_by_a_value_that_is_no_number) {
  const HardLimit above{.metric = "p99", .above = 50};
  EXPECT_FALSE(beyond_limit(above, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace bulkhead
