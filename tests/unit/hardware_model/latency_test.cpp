// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/latency.h"

#include <gtest/gtest.h>

namespace bulkhead::sim {
namespace {

TEST(LatencyHistogram, is_cumulative_and_shows_the_p99) {
  LatencyHistogram histogram;
  const Latency latency{.p50 = 0.003, .p99 = 0.02};
  for (int part = 0; part < 1000; ++part) histogram.add(1e3, latency);
  EXPECT_EQ(histogram.count(), 1000000U);
  std::uint64_t before = 0;
  double p99 = 0;
  for (std::size_t at = 0; at < bucket_limits().size(); ++at) {
    const std::uint64_t within = histogram.count_within(at);
    ASSERT_GE(within, before);
    if (before < 990000 && within >= 990000) p99 = bucket_limits()[at];
    before = within;
  }
  EXPECT_GE(p99, latency.p99 * (1 - 1e-9));
  EXPECT_LT(p99, latency.p99 * 17 / 16);
  EXPECT_LE(before, histogram.count());
}

TEST(LatencyHistogram, tells_fast_requests_from_slow_ones) {
  LatencyHistogram histogram;
  histogram.add(10, {.p50 = 0.001, .p99 = 0.002});
  histogram.add(30, {.p50 = 1, .p99 = 2});
  std::size_t at = 0;
  while (bucket_limits()[at] < 0.0625) ++at;
  EXPECT_EQ(histogram.count_within(at), 10U);
  EXPECT_EQ(histogram.count(), 40U);
}

TEST(LatencyHistogram, counts_parts_of_requests) {
  LatencyHistogram histogram;
  for (int part = 0; part < 7; ++part) histogram.add(0.25, {.p50 = 0.001, .p99 = 0.002});
  EXPECT_EQ(histogram.count(), 1U);
  histogram.add(0.25, {.p50 = 0.001, .p99 = 0.002});
  EXPECT_EQ(histogram.count(), 2U);
}

TEST(Latency, grows_with_the_queue) {
  const ServiceSpec spec{.latency = 0.001, .tail = 4, .queue_weight = 0.5};
  EXPECT_EQ(latency_of(spec, {.busy = 0, .latency = 1}), (Latency{0.001, 0.004}));
  const Latency half = latency_of(spec, {.busy = 0.5, .latency = 2});
  EXPECT_DOUBLE_EQ(half.p50, 0.002 * 1.1);
  EXPECT_DOUBLE_EQ(half.p99, 0.008 * 1.5);
}

}  // namespace
}  // namespace bulkhead::sim
