// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/latency_histogram.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace bulkhead {
namespace {

TEST(LatencyHistogram, is_off_by_less_than_one_percent_anywhere) {
  for (double sample = 1e-12; sample < 1e12; sample *= 1.137) {
    LatencyHistogram histogram;
    EXPECT_TRUE(histogram.add(sample));
    EXPECT_NEAR(*histogram.quantile(0.5) / sample, 1, 1.0 / 128 + 1e-12) << sample;
  }
}

TEST(LatencyHistogram, quantile_is_the_sample_of_that_rank) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.add(i);
  EXPECT_EQ(histogram.count(), 1000U);
  EXPECT_NEAR(*histogram.quantile(0.99), 990, 9.9);
  EXPECT_NEAR(*histogram.quantile(0.5), 500, 5);
  EXPECT_NEAR(*histogram.quantile(0), 1, 0.01);
  EXPECT_NEAR(*histogram.quantile(1), 1000, 10);
}

TEST(LatencyHistogram, has_no_quantile_without_samples) {
  EXPECT_FALSE(LatencyHistogram().quantile(0.5));
}

TEST(LatencyHistogram, takes_no_sample_that_is_none) {
  LatencyHistogram histogram;
  EXPECT_FALSE(histogram.add(-1));
  EXPECT_FALSE(histogram.add(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(histogram.add(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(histogram.add(std::ldexp(1.0, 40)));
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_TRUE(histogram.add(std::nextafter(std::ldexp(1.0, 40), 0)));
}

TEST(LatencyHistogram, what_is_too_small_is_zero) {
  LatencyHistogram histogram;
  EXPECT_TRUE(histogram.add(0));
  EXPECT_TRUE(histogram.add(1e-300));
  EXPECT_EQ(histogram.quantile(1), 0);
  EXPECT_TRUE(histogram.add(std::ldexp(1.0, -40)));
  EXPECT_GT(*histogram.quantile(1), 0);
}

}  // namespace
}  // namespace bulkhead
