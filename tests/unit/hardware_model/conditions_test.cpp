// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <gtest/gtest.h>

#include "simulator/hardware_model/conditions.h"
#include "simulator/hardware_model/random.h"

namespace bulkhead::sim {
namespace {

TEST(Random, is_the_same_everywhere) {
  EXPECT_EQ(random_bits(1, 2, 3), 15020427595393229491U);
  EXPECT_NE(random_bits(1, 2, 3), random_bits(1, 3, 2));
}

TEST(Conditions, is_what_was_asked_for_without_disturbance) {
  const ServiceSpec service{.offered = 500};
  EXPECT_EQ(conditions(service, kUndisturbed, 1, 0, 12345), (Conditions{.offered = 500, .pace = 1}));
}

TEST(Conditions, is_noisy_as_much_as_it_is_told) {
  const ServiceSpec service{.offered = 1};
  const Disturbance noisy{.load_noise = 0.05, .pace_noise = 0.02, .drift = 0, .diurnal = 0};
  constexpr int kSeconds = 20000;
  double sum = 0;
  double squares = 0;
  double products = 0;
  for (int second = 0; second < kSeconds; ++second) {
    const Conditions now = conditions(service, noisy, 3, 1, static_cast<std::uint64_t>(second));
    sum += now.offered - 1;
    squares += (now.offered - 1) * (now.offered - 1);
    products += (now.offered - 1) * (now.pace - 1);
  }
  EXPECT_NEAR(sum / kSeconds, 0, 0.002);
  EXPECT_NEAR(std::sqrt(squares / kSeconds), 0.05, 0.001);
  EXPECT_NEAR(products / kSeconds / (0.05 * 0.02), 0,
              0.03);  // load and speed have nothing to do with each other
}

TEST(Conditions, drifts_slowly_and_each_service_by_itself) {
  const ServiceSpec service{.offered = 1};
  const Disturbance drifting{.load_noise = 0, .pace_noise = 0, .drift = 0.05, .diurnal = 0};
  double widest = 0;
  double apart = 0;
  for (std::uint64_t second = 0; second < 20000; ++second) {
    const double now = conditions(service, drifting, 3, 0, second).pace;
    EXPECT_NEAR(conditions(service, drifting, 3, 0, second + 1).pace, now, 0.05 * 8 / 600);
    widest = std::max(widest, std::abs(now - 1));
    apart = std::max(apart, std::abs(conditions(service, drifting, 3, 1, second).pace - now));
  }
  EXPECT_GT(widest, 0.05);
  EXPECT_GT(apart, 0.05);
}

}  // namespace
}  // namespace bulkhead::sim
