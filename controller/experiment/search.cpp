// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace bulkhead {
namespace {

constexpr double kHalf = 0.5;
constexpr double kLeastDeviation = 1e-9;
// A latency far beyond its limit, or far below, says no more than one that is clearly there.
constexpr double kBend = 0.7;
// Shares of the lists of CCDs, ways, bandwidth, threads per core: about half of everything; all of it; then
// both ends of each list beside either end of the others, but nothing that starves the service, where there
// is little to learn.
constexpr std::array<double, 4> kDesign[kDesignedPoints] = {{0.6, 0.4, 1, 0},    {1, 1, 1, 0},
                                                            {0.6, 1, 1, 1},      {0.4, 0.35, 0.67, 1},
                                                            {0.8, 0.5, 0.67, 0}, {0.4, 0.85, 1, 1}};

double density(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double below(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double expected_gain(const Guess& guess, double best) {
  const double deviation = std::max(guess.deviation, kLeastDeviation);
  const double z = (guess.mean - best) / deviation;
  return deviation * (z * below(z) + density(z));
}

double chance_to_keep(const Guess& latency) {
  return below(-latency.mean / std::max(latency.deviation, kLeastDeviation));
}

}  // namespace

Search::Search(const SearchSpace& space, unsigned evaluations) : space_(space), budget_(evaluations) {
  for (const auto& shares : kDesign) designed_.push_back(space.at_shares(shares));
}

bool Search::is_done_with(std::size_t number) const {
  const auto is_among = [&](const std::vector<std::size_t>& numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
  };
  return is_among(tried_) || is_among(left_out_);
}

std::optional<std::size_t> Search::next_designed() const {
  if (tried_.size() >= kDesignedPoints) return std::nullopt;
  for (const std::size_t number : designed_) {
    if (!is_done_with(number)) return number;
  }
  return std::nullopt;
}

std::optional<SearchProposal> Search::next() const {
  if (tried_.size() >= budget_) return std::nullopt;
  if (const auto number = next_designed()) return SearchProposal{*number, space_.point(*number), true, 0};
  // Without a point that keeps the limit, finding one comes first: then any benefit is a gain.
  const std::optional<std::size_t> incumbent = best();
  const double known =
      incumbent && benefit_model_ ? benefit_model_->at(space_.coordinates(*incumbent)).mean : 0;
  std::optional<SearchProposal> found;
  for (std::size_t number = 0; number < space_.size(); ++number) {
    if (is_done_with(number)) continue;
    const std::vector<double> place = space_.coordinates(number);
    double promise = latency_model_ ? chance_to_keep(latency_model_->at(place)) : 1;
    if (incumbent && benefit_model_) promise *= expected_gain(benefit_model_->at(place), known);
    if (!found || promise > found->promise) found = SearchProposal{number, {}, false, promise};
  }
  if (found) found->point = space_.point(found->number);
  return found;
}

void Search::tell(std::size_t number, double benefit, double latency) {
  tried_.push_back(number);
  benefit_.add(number, benefit);
  latency_.add(number, kBend * std::tanh(latency / kBend));
  learn();
}

void Search::tell_failed(std::size_t number) {
  tried_.push_back(number);
  double worst = std::numbers::ln2;
  for (const double latency : latency_.values) worst = std::max(worst, latency);
  latency_.add(number, worst);
  learn();
}

void Search::tell_nothing(std::size_t number) {
  tried_.push_back(number);
}

std::optional<GaussianProcess> Search::model_of(const Known& known) const {
  if (known.numbers.empty()) return std::nullopt;
  std::vector<GaussianProcess::Place> places;
  for (const std::size_t number : known.numbers) places.push_back(space_.coordinates(number));
  return GaussianProcess(std::move(places), known.values);
}

void Search::leave_out(std::size_t number) {
  left_out_.push_back(number);
}

void Search::learn() {
  benefit_model_ = model_of(benefit_);
  latency_model_ = model_of(latency_);
}

std::optional<std::size_t> Search::best() const {
  std::optional<std::size_t> found;
  double most = -std::numeric_limits<double>::infinity();
  for (const std::size_t number : benefit_.numbers) {
    const std::vector<double> place = space_.coordinates(number);
    if (chance_to_keep(latency_model_->at(place)) < kHalf) continue;
    const double benefit = benefit_model_->at(place).mean;
    if (benefit <= most) continue;
    most = benefit;
    found = number;
  }
  return found;
}

}  // namespace bulkhead
