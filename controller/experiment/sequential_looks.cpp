// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/sequential_looks.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace bulkhead {
namespace {

using boost::math::cdf;
using boost::math::complement;
using boost::math::normal;
using boost::math::quantile;
using boost::math::students_t;

constexpr unsigned kSteps = 400;  // of the integration over what has not been rejected, even (Simpson)

// The error of both sides that may be spent up to a share of the budget (Lan and DeMets), half on each.
double spent(double alpha, double share) {
  return 4 * cdf(complement(normal(), quantile(complement(normal(), alpha / 4)) / std::sqrt(share)));
}

// The sum of unit steps that has stayed within all bounds so far, as a density on an even grid.
struct Survivors {
  double reach = 0;  // the grid is -reach to reach
  std::vector<double> density;

  double place(std::size_t index) const { return reach * (2.0 * static_cast<double>(index) / kSteps - 1); }
  template <class Function>
  double integral(Function&& function) const {
    double sum = 0;
    for (std::size_t i = 0; i <= kSteps; ++i) {
      const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * density[i] * function(place(i));
    }
    return sum * 2 * reach / kSteps / 3;
  }
  // Chance that one more step leaves -bound to bound.
  double crossing(double bound) const {
    return integral(
        [&](double from) { return cdf(complement(normal(), bound - from)) + cdf(normal(), -bound - from); });
  }
  Survivors after(double bound) const {
    Survivors next{bound, {}};
    for (std::size_t i = 0; i <= kSteps; ++i) {
      const double to = next.place(i);
      next.density.push_back(integral([&](double from) { return pdf(normal(), to - from); }));
    }
    return next;
  }
};

// The bound of the sum at which exactly `error` more is spent.
double bound_of(const Survivors& survivors, double error) {
  double low = 0, high = 20;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (survivors.crossing(middle) > error ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::vector<double> obrien_fleming_bounds(double alpha, unsigned looks) {
  double before = spent(alpha, 1.0 / looks);
  std::vector<double> bounds{quantile(complement(normal(), before / 2))};
  Survivors survivors{bounds[0], {}};
  for (std::size_t i = 0; i <= kSteps; ++i) {
    survivors.density.push_back(pdf(normal(), survivors.place(i)));
  }
  for (unsigned look = 2; look <= looks; ++look) {
    const double now = spent(alpha, static_cast<double>(look) / looks);
    const double bound = bound_of(survivors, now - before);
    bounds.push_back(bound / std::sqrt(look));
    survivors = survivors.after(bound);
    before = now;
  }
  return bounds;
}

SequentialLooks::SequentialLooks(double alpha, unsigned most_blocks)
    : most_blocks_(most_blocks), bounds_(obrien_fleming_bounds(alpha)) {}

std::optional<Interval> SequentialLooks::interval(const ConfidenceSequence& differences, bool last) const {
  const unsigned count = differences.count();
  if (count < 2) return std::nullopt;
  unsigned look = 1;
  while (look < kLooks && count != (most_blocks_ * look + kLooks - 1) / kLooks) ++look;
  if (last) look = kLooks;
  if (look == kLooks && !last && count != most_blocks_) return std::nullopt;
  const double tail = cdf(complement(normal(), bounds_[look - 1]));
  const double half = quantile(complement(students_t(count - 1), tail)) * differences.deviation() /
                      std::sqrt(static_cast<double>(count));
  return Interval{differences.mean() - half, differences.mean() + half};
}

}  // namespace bulkhead
