// SPDX-License-Identifier: Apache-2.0
// How others search: what the search of this project is held against.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tests/experiment/landscape.h"
#include "tests/experiment/random_source.h"

namespace bulkhead::test {

// A noisy measurement of a combination.
using Measure = std::function<Value(std::size_t number)>;

// What a search would recommend after each of its evaluations; none where nothing kept the limit so far.
using Recommended = std::vector<std::optional<std::size_t>>;

Recommended search_at_random(const SearchSpace& space, const Measure& measure, unsigned evaluations,
                             RandomSource& random);
// One want after the other, from the middle outwards, as controllers that have been published do it: a step
// is kept while it is better.
Recommended search_by_coordinates(const SearchSpace& space, const Measure& measure, unsigned evaluations,
                                  RandomSource& random);
// A generation of five, tournaments, crossing over, one want changed at random.
Recommended search_genetically(const SearchSpace& space, const Measure& measure, unsigned evaluations,
                               RandomSource& random);

}  // namespace bulkhead::test
