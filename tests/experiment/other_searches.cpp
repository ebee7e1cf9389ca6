// SPDX-License-Identifier: Apache-2.0
#include "tests/experiment/other_searches.h"

#include <algorithm>
#include <map>

namespace bulkhead::test {
namespace {

// What keeps the limit is better than what does not; then more benefit, or less beyond the limit.
bool better(const Value& one, const Value& other) {
  const bool keeps = one.latency <= 0, other_keeps = other.latency <= 0;
  if (keeps != other_keeps) return keeps;
  return keeps ? one.benefit > other.benefit : one.latency < other.latency;
}

// Measurements with what has been seen in them. A combination is measured once.
class Record {
 public:
  Record(const Measure& measure, unsigned evaluations) : measure_(measure), evaluations_(evaluations) {}

  bool is_spent() const { return recommended_.size() >= evaluations_; }
  bool has(std::size_t number) const { return seen_.count(number) > 0; }
  const Value& at(std::size_t number) {
    const auto known = seen_.find(number);
    if (known != seen_.end()) return known->second;
    const Value& value = seen_.emplace(number, measure_(number)).first->second;
    if (!best_ || better(value, seen_.at(*best_))) best_ = number;
    const bool keeps = seen_.at(*best_).latency <= 0;
    recommended_.push_back(keeps ? best_ : std::nullopt);
    return value;
  }
  const Recommended& recommended() const { return recommended_; }

 private:
  const Measure& measure_;
  unsigned evaluations_;
  std::map<std::size_t, Value> seen_;
  std::optional<std::size_t> best_;
  Recommended recommended_;
};

using Levels = std::vector<std::size_t>;

std::size_t number_of(const Levels& sizes, const Levels& levels) {
  std::size_t number = 0, unit = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    number += unit * levels[i];
    unit *= sizes[i];
  }
  return number;
}

Levels random_levels(const Levels& sizes, RandomSource& random) {
  Levels levels;
  for (const std::size_t size : sizes) levels.push_back(random.below(size));
  return levels;
}

}  // namespace

Recommended search_at_random(const SearchSpace& space, const Measure& measure, unsigned evaluations,
                             RandomSource& random) {
  Record record(measure, evaluations);
  while (!record.is_spent()) record.at(random.below(space.size()));
  return record.recommended();
}

Recommended search_by_coordinates(const SearchSpace& space, const Measure& measure, unsigned evaluations,
                                  RandomSource& random) {
  Record record(measure, evaluations);
  const Levels sizes = space.levels();
  Levels here;
  for (const std::size_t size : sizes) here.push_back(size / 2);
  record.at(number_of(sizes, here));
  while (!record.is_spent()) {
    bool moved = false;
    for (std::size_t want = 0; want < sizes.size(); ++want) {
      // Large steps first, halved where neither side is better.
      for (std::size_t step = std::max<std::size_t>(sizes[want] / 4, 1); step > 0 && !record.is_spent();) {
        bool stepped = false;
        for (const bool up : {true, false}) {
          Levels there = here;
          if (up ? there[want] + step >= sizes[want] : there[want] < step) continue;
          there[want] = up ? there[want] + step : there[want] - step;
          if (record.is_spent() && !record.has(number_of(sizes, there))) break;
          if (!better(record.at(number_of(sizes, there)), record.at(number_of(sizes, here)))) continue;
          here = there;
          stepped = moved = true;
          break;
        }
        if (!stepped) step /= 2;
      }
    }
    if (moved || record.is_spent()) continue;
    here = random_levels(sizes, random);  // at the top of a hill: start again elsewhere
    record.at(number_of(sizes, here));
  }
  return record.recommended();
}

Recommended search_genetically(const SearchSpace& space, const Measure& measure, unsigned evaluations,
                               RandomSource& random) {
  constexpr std::size_t kGeneration = 5;
  Record record(measure, evaluations);
  const Levels sizes = space.levels();
  std::vector<Levels> generation;
  for (std::size_t i = 0; i < kGeneration; ++i) generation.push_back(random_levels(sizes, random));
  const auto fitter = [&](const Levels& one, const Levels& other) {
    return better(record.at(number_of(sizes, one)), record.at(number_of(sizes, other)));
  };
  for (const Levels& levels : generation) record.at(number_of(sizes, levels));
  while (!record.is_spent()) {
    const auto parent = [&]() -> const Levels& {
      const Levels& one = generation[random.below(generation.size())];
      const Levels& other = generation[random.below(generation.size())];
      return fitter(one, other) ? one : other;
    };
    Levels child = parent();
    const Levels& other = parent();
    for (std::size_t want = 0; want < sizes.size(); ++want) {
      if (random.uniform() < 0.5) child[want] = other[want];
    }
    const std::size_t changed = random.below(sizes.size());
    child[changed] = random.below(sizes[changed]);
    record.at(number_of(sizes, child));
    const auto worst = std::max_element(generation.begin(), generation.end(), fitter);
    if (fitter(child, *worst)) *worst = child;
  }
  return record.recommended();
}

}  // namespace bulkhead::test
