// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/hardware_model.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "simulator/hardware_model/metrics_page.h"
#include "simulator/hardware_model/parameters.h"
#include "tests/unit/hardware_model/scenes.h"

namespace bulkhead::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMebibyte = 1 << 20;

class HardwareModelTest : public ::testing::Test {
 protected:
  HardwareModel model(const Disturbance& disturbance = kUndisturbed, std::uint64_t seed = 1) const {
    return {machine_, services_, seed, disturbance};
  }
  Placement proxy_has(unsigned ways) const {
    return two_crews(with_ways(machine_, 0, ways), with_ways(machine_, ways, 16 - ways),
                     {4, CpuSet{0, 1, 4, 5}}, {4, CpuSet{2, 3, 6, 7}});
  }
  static std::string page(const HardwareModel& of) { return metrics_page(of.services(), of.metrics()); }

  Machine machine_ = small_machine();
  std::vector<ServiceSpec> services_ = proxy_and_neighbours({}, 4);
};

TEST_F(HardwareModelTest, gives_the_same_for_a_seed_and_something_else_for_another) {
  HardwareModel one = model({}, 7);
  HardwareModel same = model({}, 7);
  HardwareModel other = model({}, 8);
  for (HardwareModel* each : {&one, &same, &other}) each->step(seconds(30), proxy_has(12));
  EXPECT_EQ(page(one), page(same));
  EXPECT_EQ(one.total_bytes(1, 0), same.total_bytes(1, 0));
  EXPECT_NE(page(one), page(other));
  EXPECT_NE(one.total_bytes(1, 0), other.total_bytes(1, 0));
}

TEST_F(HardwareModelTest, does_not_depend_on_the_size_of_steps) {
  HardwareModel whole = model();
  HardwareModel tenths = model();
  HardwareModel odd = model();
  const auto close = [](std::uint64_t a, std::uint64_t b) {
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= 1e-9 * static_cast<double>(a) + 1;
  };
  for (const unsigned ways : {12U, 4U}) {  // a change of masks in between
    whole.step(seconds(10), proxy_has(ways));
    for (int step = 0; step < 10; ++step) tenths.step(seconds(1), proxy_has(ways));
    for (int step = 0; step < 80; ++step) odd.step(milliseconds(125), proxy_has(ways));
    EXPECT_EQ(page(tenths), page(whole));
    EXPECT_EQ(tenths.occupancy(1, 0), whole.occupancy(1, 0));
    EXPECT_TRUE(close(odd.occupancy(1, 0), whole.occupancy(1, 0)));
    EXPECT_TRUE(close(odd.total_bytes(2, 1), whole.total_bytes(2, 1)));
    EXPECT_TRUE(close(odd.metrics()[0].histogram.count(), whole.metrics()[0].histogram.count()));
  }
  EXPECT_EQ(odd.now(), seconds(20));
}

TEST_F(HardwareModelTest, occupancy_settles_within_the_mask_and_falls_slowly_after_a_shrink) {
  HardwareModel host = model();
  host.step(seconds(60), proxy_has(12));
  EXPECT_NEAR(static_cast<double>(host.occupancy(1, 0)), 24 * kMebibyte, 2);
  EXPECT_LE(host.occupancy(1, 0), 24 * kMebibyte);
  std::uint64_t before = host.occupancy(1, 0);
  for (int step = 0; step < 5; ++step) {
    host.step(milliseconds(100), proxy_has(4));
    EXPECT_LT(host.occupancy(1, 0), before);
    EXPECT_GT(host.occupancy(1, 0), 8 * kMebibyte);
    before = host.occupancy(1, 0);
  }
  EXPECT_GT(before, 13 * kMebibyte);
  host.step(seconds(60), proxy_has(4));
  EXPECT_LE(host.occupancy(1, 0), 8 * kMebibyte);
  EXPECT_NEAR(static_cast<double>(host.occupancy(2, 0)), 24 * kMebibyte, 2);
}

TEST_F(HardwareModelTest, leaves_lines_under_the_id_that_brought_them_in) {
  HardwareModel host = model();
  Placement placement = proxy_has(8);
  host.step(seconds(60), placement);
  placement.crews[0].counted = 5;
  host.step(milliseconds(100), placement);
  EXPECT_GT(host.occupancy(1, 0), 10 * kMebibyte);
  EXPECT_GT(host.occupancy(5, 0), kMebibyte);
  const std::uint64_t counted = host.total_bytes(1, 0);
  host.step(seconds(60), placement);
  EXPECT_LT(host.occupancy(1, 0), 64U);
  EXPECT_EQ(host.total_bytes(1, 0), counted);
  EXPECT_EQ(host.occupancy(9, 0), 0U);
}

TEST_F(HardwareModelTest, counts_local_traffic_apart) {
  HardwareModel host = model();
  Placement placement = proxy_has(8);
  placement.crews[1].memory_nodes = {0};
  host.step(seconds(1), placement);
  EXPECT_NEAR(static_cast<double>(host.local_bytes(1, 0)), static_cast<double>(host.total_bytes(1, 0)) / 2,
              1);
  EXPECT_EQ(host.local_bytes(2, 0), host.total_bytes(2, 0));
  EXPECT_EQ(host.local_bytes(2, 1), 0U);
  EXPECT_GT(host.total_bytes(2, 1), 0U);
}

TEST_F(HardwareModelTest, follows_the_offered_load_and_the_day) {
  services_[0].offered = 1000;
  HardwareModel night = model({.load_noise = 0, .pace_noise = 0, .drift = 0, .diurnal = 0.5});
  night.step(seconds(1), proxy_has(8));
  EXPECT_NEAR(night.metrics()[0].requests_per_second, 500, 0.01);
  const double quiet = night.metrics()[0].latency.p99;
  night.set_offered(0, 5000);
  night.step(seconds(1), proxy_has(8));
  EXPECT_GT(night.metrics()[0].latency.p99, quiet);
  HardwareModel noon =
      model({.load_noise = 0, .pace_noise = 0, .drift = 0, .diurnal = 0.5, .time_of_day = 43200});
  noon.step(seconds(1), proxy_has(8));
  EXPECT_NEAR(noon.metrics()[0].requests_per_second, 1500, 0.01);
}

TEST_F(HardwareModelTest, hears_of_another_load_at_once) {
  HardwareModel host = model();
  host.step(milliseconds(50), proxy_has(8));
  host.set_offered(0, 100);
  host.step(milliseconds(1), proxy_has(8));
  EXPECT_NEAR(host.metrics()[0].requests_per_second, 100, 1e-6);
}

TEST_F(HardwareModelTest, is_as_it_was_after_a_placement_that_does_not_fit) {
  HardwareModel host = model();
  host.step(seconds(1), proxy_has(8));
  const std::string before = page(host);
  Placement wrong = proxy_has(8);
  wrong.crews[1].service = 2;
  EXPECT_THROW(host.step(seconds(1), wrong), Error);
  EXPECT_EQ(host.now(), seconds(1));
  EXPECT_EQ(page(host), before);
}

TEST_F(HardwareModelTest, serves_nothing_without_threads) {
  HardwareModel host = model();
  host.step(seconds(1), {.controls = {unlimited(machine_)}});
  EXPECT_EQ(host.metrics()[0].histogram.count(), 0U);
  EXPECT_EQ(host.metrics()[0].requests_per_second, 0);
}

}  // namespace
}  // namespace bulkhead::sim
