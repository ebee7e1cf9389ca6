// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace bulkhead {
namespace {

constexpr double kReaches[] = {0.2, 0.35, 0.6, 1, 1.8, 3, 5, 9};
constexpr double kNoises[] = {1e-5, 1e-4, 1e-3, 1e-2};
// Logarithms of reaches lie around it; where a few values cannot tell, a function is smooth.
constexpr double kLikelyReach = 2;
constexpr double kReachSpread = 1.5;
constexpr int kRounds = 2;  // over all coordinates
constexpr double kLeastVariance = 1e-8;

}  // namespace

GaussianProcess::GaussianProcess(std::vector<Place> places, const std::vector<double>& values)
    : places_(std::move(places)), values_(values) {
  const std::size_t coordinates = places_.front().size();
  shape_ = {std::vector<double>(coordinates, kLikelyReach), kNoises[2]};
  fit_ = fitted(shape_);
  for (const double reach : kReaches) consider({std::vector<double>(coordinates, reach), shape_.noise});
  for (int round = 0; round < kRounds; ++round) {
    for (const double noise : kNoises) consider({shape_.reaches, noise});
    for (std::size_t coordinate = 0; coordinate < coordinates; ++coordinate) {
      for (const double reach : kReaches) {
        Shape other = shape_;
        other.reaches[coordinate] = reach;
        consider(std::move(other));
      }
    }
  }
}

void GaussianProcess::consider(Shape shape) {
  Fit fit = fitted(shape);
  if (fit.likelihood <= fit_.likelihood) return;
  shape_ = std::move(shape);
  fit_ = std::move(fit);
}

double GaussianProcess::correlation(const Place& one, const Place& other,
                                    const std::vector<double>& reaches) {
  double square = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double apart = (one[i] - other[i]) / reaches[i];
    square += apart * apart;
  }
  const double apart = std::sqrt(5 * square);
  return (1 + apart + apart * apart / 3) * std::exp(-apart);
}

GaussianProcess::Fit GaussianProcess::fitted(const Shape& shape) const {
  const std::size_t count = places_.size();
  SquareMatrix covariance(count);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      covariance.at(row, column) = correlation(places_[row], places_[column], shape.reaches);
    }
    covariance.at(row, row) += shape.noise;
  }
  Fit fit;
  fit.likelihood = -std::numeric_limits<double>::infinity();
  fit.root = Cholesky::of(std::move(covariance));
  if (!fit.root) return fit;
  // The mean that fits best, and with it the variance: neither needs a grid.
  const std::vector<double> ones = fit.root->solve(std::vector<double>(count, 1));
  fit.mean = std::inner_product(ones.begin(), ones.end(), values_.begin(), 0.0) /
             std::accumulate(ones.begin(), ones.end(), 0.0);
  std::vector<double> rest = values_;
  for (double& value : rest) value -= fit.mean;
  fit.weights = fit.root->solve(rest);
  const double n = static_cast<double>(count);
  fit.variance =
      std::max(std::inner_product(rest.begin(), rest.end(), fit.weights.begin(), 0.0) / n, kLeastVariance);
  fit.likelihood = -n / 2 * std::log(fit.variance) - fit.root->log_determinant() / 2;
  for (const double reach : shape.reaches) {
    const double off = std::log(reach / kLikelyReach) / kReachSpread;
    fit.likelihood -= off * off / 2;
  }
  return fit;
}

Guess GaussianProcess::at(const Place& place) const {
  std::vector<double> near;
  for (const Place& known : places_) near.push_back(correlation(place, known, shape_.reaches));
  const double mean = fit_.mean + std::inner_product(near.begin(), near.end(), fit_.weights.begin(), 0.0);
  const std::vector<double> explained = fit_.root->forward(std::move(near));
  const double left = 1 - std::inner_product(explained.begin(), explained.end(), explained.begin(), 0.0);
  return {mean, std::sqrt(fit_.variance * std::max(left, 0.0))};
}

}  // namespace bulkhead
