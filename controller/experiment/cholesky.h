// SPDX-License-Identifier: Apache-2.0
// The triangular root of a small covariance matrix; for at most a few dozen points, where a library for
// linear algebra would cost more to compile than it gives.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace bulkhead {

// A square matrix, row by row.
struct SquareMatrix {
  explicit SquareMatrix(std::size_t rows) : size(rows), values(rows * rows) {}

  double& at(std::size_t row, std::size_t column) { return values[row * size + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * size + column]; }

  std::size_t size;
  std::vector<double> values;
};

class Cholesky {
 public:
  // None where the matrix is not positive definite. Only its lower half is read.
  static std::optional<Cholesky> of(SquareMatrix matrix);

  std::vector<double> forward(std::vector<double> right) const;  // L⁻¹·right
  std::vector<double> solve(std::vector<double> right) const;    // (L·Lᵀ)⁻¹·right
  double log_determinant() const;                                // of the whole matrix

 private:
  explicit Cholesky(SquareMatrix root) : root_(std::move(root)) {}

  SquareMatrix root_;
};

}  // namespace bulkhead
