// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/gaussian_process.h"

#include <cmath>
#include <gtest/gtest.h>

namespace bulkhead {
namespace {

GaussianProcess of_sine() {
  std::vector<GaussianProcess::Place> places;
  std::vector<double> values;
  for (int i = 0; i <= 8; ++i) {
    places.push_back({i / 8.0});
    values.push_back(std::sin(3 * i / 8.0));
  }
  return GaussianProcess(places, values);
}

TEST(GaussianProcess, passes_through_what_it_knows) {
  const GaussianProcess process = of_sine();
  for (int i = 0; i <= 8; ++i) EXPECT_NEAR(process.at({i / 8.0}).mean, std::sin(3 * i / 8.0), 0.01);
}

TEST(GaussianProcess, guesses_what_lies_between) {
  for (const double place : {0.06, 0.31, 0.7})
    EXPECT_NEAR(of_sine().at({place}).mean, std::sin(3 * place), 0.02);
}

TEST(GaussianProcess, is_less_sure_the_farther_away) {
  const GaussianProcess process = of_sine();
  EXPECT_LT(process.at({0.5}).deviation, process.at({1.2}).deviation);
  EXPECT_LT(process.at({1.2}).deviation, process.at({2}).deviation);
}

TEST(GaussianProcess, one_value_is_guessed_everywhere) {
  const GaussianProcess process({{0.5, 0.5}}, {3});
  EXPECT_NEAR(process.at({0.5, 0.5}).mean, 3, 1e-12);
  EXPECT_NEAR(process.at({0, 1}).mean, 3, 1e-12);
}

TEST(GaussianProcess, finds_out_which_coordinate_matters) {
  std::vector<GaussianProcess::Place> places;
  std::vector<double> values;
  for (int i = 0; i < 16; ++i) {
    places.push_back({(i * 7 % 16) / 15.0, i / 15.0});
    values.push_back(std::sin(6 * i / 15.0));
  }
  const GaussianProcess process(places, values);
  EXPECT_NEAR(process.at({0.1, 0.5}).mean, process.at({0.9, 0.5}).mean, 0.05);
  EXPECT_NEAR(process.at({0.5, 0.5}).mean, std::sin(3), 0.1);
}

}  // namespace
}  // namespace bulkhead
