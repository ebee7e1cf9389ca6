// SPDX-License-Identifier: Apache-2.0
// A smooth function guessed from a few noisy values of it (Gaussian process, Matérn 5/2), with how sure one
// may be of the guess.
#pragma once

#include <optional>
#include <vector>

#include "controller/experiment/cholesky.h"

namespace bulkhead {

struct Guess {
  double mean = 0;
  double deviation = 0;  // of the function, not of another measurement of it
};

class GaussianProcess {
 public:
  using Place = std::vector<double>;  // each coordinate about 0 to 1

  // At least one value. How far the function reaches along each coordinate, how much it varies and how noisy
  // the values are is what makes them likeliest, on a grid, with a mild preference for long reaches.
  GaussianProcess(std::vector<Place> places, const std::vector<double>& values);

  Guess at(const Place& place) const;

 private:
  struct Shape {
    std::vector<double> reaches;  // of each coordinate
    double noise = 0;             // variance, over that of the function
  };
  struct Fit {
    double likelihood = 0;
    double variance = 0;
    double mean = 0;
    std::vector<double> weights;
    std::optional<Cholesky> root;
  };

  static double correlation(const Place& one, const Place& other, const std::vector<double>& reaches);
  Fit fitted(const Shape& shape) const;
  void consider(Shape shape);  // taken if likelier than what there is

  std::vector<Place> places_;
  std::vector<double> values_;
  Shape shape_;
  Fit fit_;
};

}  // namespace bulkhead
