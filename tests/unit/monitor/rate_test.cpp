// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/rate.h"

#include <gtest/gtest.h>
#include <vector>

namespace bulkhead {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Reading kUnavailable{0, NoData::unavailable};

// One reading each second.
Series each_second(const std::vector<Reading>& readings) {
  Series series;
  MonotonicTime at{};
  for (const Reading& reading : readings) series.push({at += seconds(1), reading});
  return series;
}

Reading count(std::uint64_t value) {
  return {value, NoData::none};
}

TEST(Rate, takes_two_samples) {
  EXPECT_EQ(rate({}, seconds(10)), (Measured{0, NoData::not_read}));
  EXPECT_EQ(rate(each_second({count(7)}), seconds(10)), (Measured{0, NoData::first_sample}));
  EXPECT_EQ(rate(each_second({count(7), count(1007)}), seconds(10)), (Measured{1000, NoData::none}));
  EXPECT_EQ(rate(each_second({count(7), count(7)}), seconds(10)), (Measured{0, NoData::none}));
}

TEST(Rate, goes_by_when_the_samples_were_taken) {
  Series series;
  series.push({MonotonicTime{milliseconds(100)}, count(0)});
  series.push({MonotonicTime{milliseconds(350)}, count(1000)});
  EXPECT_EQ(rate(series, seconds(1)), (Measured{4000, NoData::none}));
}

TEST(Rate, is_a_mean_over_the_window_alone) {
  const Series series = each_second({count(0), count(1000), count(1100), count(1300)});
  EXPECT_EQ(rate(series, seconds(1)), (Measured{200, NoData::none}));
  EXPECT_EQ(rate(series, seconds(2)), (Measured{150, NoData::none}));
  EXPECT_EQ(rate(series, seconds(60)), (Measured{1300.0 / 3, NoData::none}));
  EXPECT_EQ(rate(series, milliseconds(1)), (Measured{200, NoData::none}));
}

TEST(Rate, survives_the_wrap_of_64_bits) {
  constexpr std::uint64_t kAlmost = ~std::uint64_t{0} - 99;
  EXPECT_EQ(rate(each_second({count(kAlmost), count(400)}), seconds(10)), (Measured{500, NoData::none}));
}

TEST(Rate, a_count_that_went_back_began_anew) {
  const Series back = each_second({count(0), count(5000), count(10)});
  EXPECT_EQ(rate(back, seconds(10)), (Measured{0, NoData::restarted}));
  Series on = back;
  on.push({back.latest().at + seconds(1), count(110)});
  EXPECT_EQ(rate(on, seconds(10)), (Measured{100, NoData::none}));
}

TEST(Rate, nothing_is_made_up_across_a_gap) {
  Series series = each_second({count(0), count(100), kUnavailable});
  EXPECT_EQ(rate(series, seconds(10)), (Measured{0, NoData::unavailable}));
  series.push({series.latest().at + seconds(1), count(50'000)});
  EXPECT_EQ(rate(series, seconds(10)), (Measured{0, NoData::first_sample}));
  series.push({series.latest().at + seconds(1), count(50'300)});
  EXPECT_EQ(rate(series, seconds(10)), (Measured{300, NoData::none}));
}

TEST(Rate, is_zero_time_no_division) {
  Series series;
  series.push({MonotonicTime{seconds(1)}, count(1)});
  series.push({MonotonicTime{seconds(1)}, count(2)});
  EXPECT_EQ(rate(series, seconds(10)), (Measured{0, NoData::first_sample}));
}

TEST(Ring, keeps_the_latest) {
  Ring<int, 3> ring;
  EXPECT_TRUE(ring.empty());
  for (int value = 1; value <= 5; ++value) ring.push(value);
  EXPECT_EQ(ring.size(), 3U);
  EXPECT_EQ(ring.latest(), 5);
  EXPECT_EQ(ring.latest(2), 3);
}

TEST(Latest, is_the_reading_or_why_there_is_none) {
  EXPECT_EQ(latest({}), (Measured{0, NoData::not_read}));
  EXPECT_EQ(latest(each_second({count(1), count(9)})), (Measured{9, NoData::none}));
  EXPECT_EQ(latest(each_second({count(1), kUnavailable})), (Measured{0, NoData::unavailable}));
}

}  // namespace
}  // namespace bulkhead
