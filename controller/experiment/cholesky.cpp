// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/cholesky.h"

#include <cmath>
#include <utility>

namespace bulkhead {

std::optional<Cholesky> Cholesky::of(SquareMatrix matrix) {
  for (std::size_t column = 0; column < matrix.size; ++column) {
    for (std::size_t row = column; row < matrix.size; ++row) {
      double rest = matrix.at(row, column);
      for (std::size_t i = 0; i < column; ++i) rest -= matrix.at(row, i) * matrix.at(column, i);
      if (row > column) {
        matrix.at(row, column) = rest / matrix.at(column, column);
        continue;
      }
      if (!(rest > 0)) return std::nullopt;
      matrix.at(column, column) = std::sqrt(rest);
    }
  }
  return Cholesky(std::move(matrix));
}

std::vector<double> Cholesky::forward(std::vector<double> right) const {
  for (std::size_t row = 0; row < root_.size; ++row) {
    for (std::size_t i = 0; i < row; ++i) right[row] -= root_.at(row, i) * right[i];
    right[row] /= root_.at(row, row);
  }
  return right;
}

std::vector<double> Cholesky::solve(std::vector<double> right) const {
  right = forward(std::move(right));
  for (std::size_t row = root_.size; row-- > 0;) {
    for (std::size_t i = row + 1; i < root_.size; ++i) right[row] -= root_.at(i, row) * right[i];
    right[row] /= root_.at(row, row);
  }
  return right;
}

double Cholesky::log_determinant() const {
  double sum = 0;
  for (std::size_t row = 0; row < root_.size; ++row) sum += 2 * std::log(root_.at(row, row));
  return sum;
}

}  // namespace bulkhead
