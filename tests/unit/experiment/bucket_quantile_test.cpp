// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/bucket_quantile.h"

#include <gtest/gtest.h>
#include <limits>

namespace bulkhead {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
using Buckets = std::vector<CumulativeBucket>;
const Buckets kZero = {{0.1, 0}, {0.5, 0}, {1, 0}, {kInfinite, 0}};

std::string why_none(const Buckets& before, const Buckets& after, double share = 0.5,
                     std::uint64_t least = 1) {
  const MetricReading reading = bucket_quantile(before, after, share, least);
  EXPECT_FALSE(reading.value);
  return reading.why_none;
}

TEST(BucketQuantile, is_linear_within_a_bucket) {
  const Buckets after = {{0.1, 50}, {0.5, 90}, {1, 100}, {kInfinite, 100}};
  EXPECT_NEAR(*bucket_quantile(kZero, after, 0.7, 1).value, 0.3, 1e-12);  // half of 0.1 to 0.5
  EXPECT_NEAR(*bucket_quantile(kZero, after, 0.99, 1).value, 0.95, 1e-12);
  EXPECT_NEAR(*bucket_quantile(kZero, after, 0.25, 1).value, 0.05, 1e-12);  // the first one starts at 0
  EXPECT_NEAR(*bucket_quantile(kZero, after, 0.9, 1).value, 0.5, 1e-12);
}

TEST(BucketQuantile, counts_what_came_during_the_window_only) {
  const Buckets before = {{0.1, 1000}, {0.5, 1000}, {1, 1000}, {kInfinite, 1000}};
  const Buckets after = {{0.1, 1000}, {0.5, 1000}, {1, 1010}, {kInfinite, 1010}};
  EXPECT_NEAR(*bucket_quantile(before, after, 0.5, 10).value, 0.75, 1e-12);
}

TEST(BucketQuantile, a_first_bucket_below_zero_has_no_lower_end) {
  const Buckets before = {{-1, 0}, {kInfinite, 0}};
  EXPECT_EQ(bucket_quantile(before, {{-1, 5}, {kInfinite, 5}}, 0.5, 1).value, -1);
}

TEST(BucketQuantile, is_none_beyond_the_last_bound) {
  EXPECT_EQ(why_none(kZero, {{0.1, 0}, {0.5, 0}, {1, 98}, {kInfinite, 100}}, 0.99),
            "the quantile lies beyond the histogram's last bound, 1");
  EXPECT_EQ(why_none({{kInfinite, 0}}, {{kInfinite, 9}}), "the histogram has no finite bucket");
}

TEST(BucketQuantile, is_none_with_too_few_samples) {
  const Buckets after = {{0.1, 5}, {0.5, 9}, {1, 12}, {kInfinite, 12}};
  EXPECT_EQ(why_none(kZero, after, 0.5, 2000), "12 samples in the window, and 2000 are needed");
  EXPECT_TRUE(bucket_quantile(kZero, after, 0.5, 12).value);
  EXPECT_EQ(why_none(kZero, kZero, 0.5, 0), "0 samples in the window, and 0 are needed");
}

TEST(BucketQuantile, is_none_after_a_reset) {
  const Buckets before = {{0.1, 5}, {0.5, 9}, {1, 12}, {kInfinite, 12}};
  EXPECT_EQ(why_none(before, {{0.1, 4}, {0.5, 9}, {1, 12}, {kInfinite, 12}}),
            "the histogram counts less than before: it was reset");
}

TEST(BucketQuantile, is_none_of_what_is_no_histogram) {
  EXPECT_EQ(why_none({}, {}), "the histogram has no bucket le=\"+Inf\"");
  EXPECT_EQ(why_none(kZero, {{0.1, 1}}), "the histogram has no bucket le=\"+Inf\"");
  EXPECT_EQ(why_none(kZero, {{0.1, 5}, {0.5, 4}, {1, 6}, {kInfinite, 6}}),
            "a bucket of the histogram counts less than the one below");
  EXPECT_EQ(why_none(kZero, {{0.1, 5}, {0.1, 6}, {1, 6}, {kInfinite, 6}}),
            "the histogram's bounds do not rise");
  EXPECT_EQ(why_none(kZero, {{0.1, 5}, {0.5, 6}, {1, 6}, {kInfinite, kInfinite}}),
            "the histogram has a bucket that is no count");
  EXPECT_EQ(why_none(kZero, {{0.1, 5}, {0.6, 6}, {1, 6}, {kInfinite, 6}}),
            "the histogram's bounds changed during the window");
}

TEST(BucketQuantile, is_none_where_buckets_were_read_at_different_moments) {
  const Buckets before = {{0.1, 0}, {0.5, 5}, {1, 5}, {kInfinite, 5}};
  EXPECT_EQ(why_none(before, {{0.1, 4}, {0.5, 6}, {1, 9}, {kInfinite, 9}}),
            "the histogram's buckets do not belong to one moment");
}

}  // namespace
}  // namespace bulkhead
