// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_rates.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

PerfCount count(std::uint64_t first, std::uint64_t second, PerfTimes times) {
  return {{first, second}, times};
}

TEST(PerfRates, are_of_a_second) {
  PerfSum sum;
  sum.add(count(100, 10, {1000, 1000}), count(300, 20, {2000, 2000}));
  sum.add(count(0, 0, {0, 0}), count(400, 5, {500, 500}));
  const PerfRates rates = sum.over(2);
  EXPECT_EQ(rates.per_second[0], (Measured{300, NoData::none}));
  EXPECT_EQ(rates.per_second[1], (Measured{7.5, NoData::none}));
  EXPECT_EQ(rates.counted_share, (Measured{1, NoData::none}));
  EXPECT_EQ(rates.ratio(1, 0), (Measured{7.5 / 300, NoData::none}));
}

TEST(PerfRates, are_scaled_by_the_share_that_was_counted) {
  PerfSum sum;
  sum.add(count(0, 0, {0, 0}), count(100, 0, {1000, 250}));
  sum.add(count(0, 0, {0, 0}), count(100, 0, {1000, 1000}));
  EXPECT_EQ(sum.over(1).per_second[0], (Measured{500, NoData::none}));
  EXPECT_EQ(sum.over(1).counted_share, (Measured{0.625, NoData::none}));
}

TEST(PerfRates, of_a_part_that_was_never_counted_are_those_of_the_rest) {
  PerfSum sum;
  sum.add(count(0, 0, {0, 0}), count(100, 0, {1000, 1000}));
  sum.add(count(0, 0, {0, 0}), count(0, 0, {3000, 0}));
  EXPECT_EQ(sum.over(1).per_second[0], (Measured{400, NoData::none}));
  EXPECT_EQ(sum.over(1).counted_share, (Measured{0.25, NoData::none}));
}

TEST(PerfRates, have_no_value_where_nothing_was_counted_and_0_where_nothing_ran) {
  PerfSum never;
  never.add(count(5, 0, {1000, 500}), count(5, 0, {2000, 500}));
  EXPECT_EQ(never.over(1).per_second[0], (Measured{0, NoData::multiplexed}));
  EXPECT_EQ(never.over(1).ratio(1, 0), (Measured{0, NoData::multiplexed}));
  PerfSum idle;
  idle.add(count(5, 0, {1000, 1000}), count(5, 0, {1000, 1000}));
  EXPECT_EQ(idle.over(1).per_second[0], (Measured{0, NoData::none}));
  EXPECT_EQ(idle.over(1).counted_share, (Measured{0, NoData::idle}));
  EXPECT_EQ(idle.over(1).ratio(1, 0), (Measured{0, NoData::idle}));
}

TEST(PerfRates, are_not_made_up_where_counts_began_anew_or_no_time_passed) {
  PerfSum back;
  back.add(count(500, 0, {1000, 1000}), count(5, 0, {2000, 2000}));
  EXPECT_EQ(back.over(1).per_second[0], (Measured{0, NoData::restarted}));
  PerfSum wrapped;
  wrapped.add(count(UINT64_MAX - 4, 0, {1000, 1000}), count(5, 0, {2000, 2000}));
  EXPECT_EQ(wrapped.over(1).per_second[0], (Measured{10, NoData::none}));
  EXPECT_EQ(wrapped.over(0).per_second[0], (Measured{0, NoData::first_sample}));
}

}  // namespace
}  // namespace bulkhead
