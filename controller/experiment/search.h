// SPDX-License-Identifier: Apache-2.0
// The best combination whose latency keeps its limit, in few measurements: constrained Bayesian optimisation.
// Ask with next(), measure, tell; whoever measures compares each point with the control in a block, so that
// the host's drift does not look like an effect.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "controller/experiment/gaussian_process.h"
#include "controller/experiment/search_space.h"

namespace bulkhead {

inline constexpr unsigned kDesignedPoints = 6;

struct SearchProposal {
  std::size_t number = 0;  // in the space
  SearchPoint point;
  bool designed = false;  // one of those that are set beforehand
  double promise = 0;     // expected gain (on the log scale) times the chance that the limit is kept
};

class Search {
 public:
  // `space` outlives it.
  Search(const SearchSpace& space, unsigned evaluations);

  // None when the budget is spent or every combination was tried. The same again until it is told.
  std::optional<SearchProposal> next() const;
  // `benefit`: ln(primary of the point over the control's), its sign turned where lower is better.
  // `latency`: ln(latency over its limit).
  void tell(std::size_t number, double benefit, double latency);
  // It was left at once, or stood beyond a hard limit: as far beyond the limit as the worst so far, at least
  // twice. Nothing is learnt of its benefit.
  void tell_failed(std::size_t number);
  // The measurement came to nothing; the point is not tried again.
  void tell_nothing(std::size_t number);
  // The host cannot have it: it is as if it were not in the space.
  void leave_out(std::size_t number);

  unsigned evaluations() const { return static_cast<unsigned>(tried_.size()); }
  // The point to confirm: of those measured the best one that most likely keeps the limit. None if none does.
  std::optional<std::size_t> best() const;

 private:
  struct Known {
    std::vector<std::size_t> numbers;
    std::vector<double> values;
    void add(std::size_t number, double value) {
      numbers.push_back(number);
      values.push_back(value);
    }
  };

  bool is_done_with(std::size_t number) const;
  std::optional<GaussianProcess> model_of(const Known& known) const;
  std::optional<std::size_t> next_designed() const;
  void learn();

  const SearchSpace& space_;
  unsigned budget_;
  std::vector<std::size_t> designed_;
  std::vector<std::size_t> tried_, left_out_;
  Known benefit_;
  Known latency_;
  std::optional<GaussianProcess> benefit_model_, latency_model_;
};

}  // namespace bulkhead
