// SPDX-License-Identifier: Apache-2.0
// A made-up host for searches: a service on some CCDs of a 12-CCD host, with neighbours that have the rest of
// everything. Closed form: caches by a power law, a bandwidth that all share, tails by load.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/experiment/search_space.h"

namespace bulkhead::test {

// 6 counts of CCDs, 7 of ways, 4 bandwidths, 1 or 2 threads a core: 336 combinations.
SearchRanges landscape_ranges();

struct Value {
  double benefit = 0;  // ln(throughput of the service)
  double latency = 0;  // ln(the worse of both p99 over its limit)
};

class Landscape {
 public:
  // Everything about the host, its services and the latency limit is drawn from the seed.
  Landscape(const SearchSpace& space, std::uint64_t seed);

  const Value& at(std::size_t number) const { return values_[number]; }
  std::size_t oracle() const { return oracle_; }  // the best that keeps the limit

 private:
  std::vector<Value> values_;
  std::size_t oracle_ = 0;
};

}  // namespace bulkhead::test
