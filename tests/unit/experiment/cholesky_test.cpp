// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/cholesky.h"

#include <cmath>
#include <gtest/gtest.h>

namespace bulkhead {
namespace {

SquareMatrix two_by_two(double first, double off, double last) {
  SquareMatrix matrix(2);
  matrix.at(0, 0) = first;
  matrix.at(1, 0) = off;
  matrix.at(1, 1) = last;
  return matrix;
}

// The root of (4 2; 2 3) is (2 0; 1 sqrt(2)), its determinant 8.
TEST(Cholesky, solves_what_a_hand_can_check) {
  const std::optional<Cholesky> root = Cholesky::of(two_by_two(4, 2, 3));
  ASSERT_TRUE(root);
  const std::vector<double> half = root->forward({2, 3});
  EXPECT_NEAR(half[0], 1, 1e-15);
  EXPECT_NEAR(half[1], std::sqrt(2), 1e-15);
  const std::vector<double> solved = root->solve({2, 1});
  EXPECT_NEAR(solved[0], 0.5, 1e-15);
  EXPECT_NEAR(solved[1], 0, 1e-15);
  EXPECT_NEAR(root->log_determinant(), std::log(8), 1e-15);
}

TEST(Cholesky, is_none_of_a_matrix_that_is_not_positive_definite) {
  EXPECT_FALSE(Cholesky::of(two_by_two(1, 2, 1)));
  EXPECT_FALSE(Cholesky::of(two_by_two(1, 1, 1)));
  EXPECT_FALSE(Cholesky::of(two_by_two(std::nan(""), 0, 1)));
}

}  // namespace
}  // namespace bulkhead
