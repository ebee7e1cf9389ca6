// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/bandwidth.h"

#include <gtest/gtest.h>

#include "tests/unit/planner/hosts.h"

namespace bulkhead {
namespace {

const BandwidthCapability kAmdBandwidth{
    .closids = 16, .unit = BandwidthUnit::eighth_gb, .min = 0, .granularity = 1, .unlimited = 2048};
const BandwidthCapability kIntelBandwidth{
    .closids = 8, .unit = BandwidthUnit::percent, .min = 10, .granularity = 10, .unlimited = 100};
const BandwidthCapability kMbps{
    .closids = 8, .unit = BandwidthUnit::mib_per_second, .min = 1, .granularity = 1, .unlimited = 4294967295};

struct Planned {
  std::uint32_t value = 0;
  std::vector<std::string> notes;
};

Planned plan(const BandwidthAmount& amount, const BandwidthCapability& capability, std::uint64_t ccd = 0) {
  Planned planned;
  planned.value = plan_bandwidth(amount, capability, ccd, {}, "web", planned.notes);
  return planned;
}

constexpr std::uint64_t kGb = 1'000'000'000;
const char* const kDelay =
    "a percent of memory bandwidth is a delay that the processor puts between requests, not a share of the "
    "bandwidth: measure what the service then gets";

TEST(PlanBandwidth, takes_unlimited_from_the_machine) {
  EXPECT_EQ(plan(Unlimited{}, kAmdBandwidth).value, 2048U);
  EXPECT_EQ(plan(Unlimited{}, kMbps).value, 4294967295U);
}

TEST(PlanBandwidth, counts_eighths_of_a_gb_on_amd) {
  const Planned exact = plan(Rate{40 * kGb}, kAmdBandwidth);
  EXPECT_EQ(exact.value, 320U);
  EXPECT_TRUE(exact.notes.empty());
}

TEST(PlanBandwidth, rounds_rates_down_and_says_so) {
  const Planned rounded = plan(Rate{1'300'000'000}, kAmdBandwidth);
  EXPECT_EQ(rounded.value, 10U);
  EXPECT_EQ(rounded.notes, std::vector<std::string>{"web: bandwidth 1.3 GB/s becomes 1.25 GB/s per CCD"});
}

TEST(PlanBandwidth, never_plans_nothing) {
  const Planned least = plan(Rate{1'000'000}, kAmdBandwidth);
  EXPECT_EQ(least.value, 1U);
  EXPECT_EQ(least.notes, std::vector<std::string>{
                             "web: bandwidth 1 MB/s becomes 125 MB/s per CCD, the least of this machine"});
  EXPECT_EQ(message_of([] { plan(Rate{0}, kAmdBandwidth); }),
            "web wants 0 B/s of bandwidth, with which nothing runs: the least here is 125 MB/s per CCD");
}

TEST(PlanBandwidth, refuses_more_than_unlimited) {
  EXPECT_EQ(plan(Rate{256 * kGb}, kAmdBandwidth).value, 2048U);
  EXPECT_EQ(message_of([] { plan(Rate{257 * kGb}, kAmdBandwidth); }),
            "web wants 257 GB/s of bandwidth, more than this machine can be limited to: 256 GB/s per CCD; "
            "\"unlimited\" sets no limit");
}

TEST(PlanBandwidth, needs_the_ccd_bandwidth_for_a_percent_on_amd) {
  EXPECT_EQ(plan(Percent{3000}, kAmdBandwidth, 50 * kGb).value, 120U);
  EXPECT_EQ(message_of([] { plan(Percent{3000}, kAmdBandwidth); }),
            "web wants 30% of bandwidth, but this machine limits by rate: a percent needs the bandwidth of a "
            "CCD (--ccd-bandwidth, or ccd_bandwidth in the machine file); or say a rate such as \"40GB/s\"");
}

TEST(PlanBandwidth, rounds_percent_up_as_intel_kernels_do) {
  const Planned rounded = plan(Percent{3500}, kIntelBandwidth);
  EXPECT_EQ(rounded.value, 40U);
  EXPECT_EQ(rounded.notes, (std::vector<std::string>{kDelay, "web: bandwidth 35% becomes 40%"}));
  EXPECT_EQ(plan(Percent{4000}, kIntelBandwidth).notes, std::vector<std::string>{kDelay});
  EXPECT_EQ(plan(Percent{9999}, kIntelBandwidth).value, 100U);
}

TEST(PlanBandwidth, raises_to_the_least_percent) {
  BandwidthCapability capability = kIntelBandwidth;
  capability.min = 20;
  const Planned least = plan(Percent{500}, capability);
  EXPECT_EQ(least.value, 20U);
  EXPECT_EQ(least.notes.back(), "web: bandwidth 5% becomes 20%, the least of this machine");
}

TEST(PlanBandwidth, turns_a_rate_into_percent_where_the_ccd_bandwidth_is_known) {
  EXPECT_EQ(plan(Rate{45 * kGb}, kIntelBandwidth, 100 * kGb).value, 40U);
  EXPECT_EQ(
      message_of([] { plan(Rate{45 * kGb}, kIntelBandwidth); }),
      "web wants 45 GB/s of bandwidth, but this machine limits by percent: a rate needs the bandwidth of "
      "a CCD (--ccd-bandwidth, or ccd_bandwidth in the machine file); or say a percent");
  EXPECT_EQ(message_of([] { plan(Rate{150 * kGb}, kIntelBandwidth, 100 * kGb); }),
            "web wants 150 GB/s of bandwidth, more than this machine can be limited to: 100 GB/s per CCD; "
            "\"unlimited\" sets no limit");
}

TEST(PlanBandwidth, counts_mib_where_mounted_with_mba_mbps) {
  EXPECT_EQ(plan(Rate{2'097'152'000}, kMbps).value, 2000U);
  EXPECT_EQ(plan(Percent{1000}, kMbps, 10'485'760'000).value, 1000U);
}

TEST(DescribeBandwidth, uses_the_units_of_people) {
  EXPECT_EQ(describe_bandwidth(2048, kAmdBandwidth), "unlimited");
  EXPECT_EQ(describe_bandwidth(320, kAmdBandwidth), "40 GB/s per CCD");
  EXPECT_EQ(describe_bandwidth(40, kIntelBandwidth), "40%");
  EXPECT_EQ(describe_bandwidth(2000, kMbps), "2000 MiB/s");
}

}  // namespace
}  // namespace bulkhead
