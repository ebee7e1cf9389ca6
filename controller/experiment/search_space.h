// SPDX-License-Identifier: Apache-2.0
// All combinations that a search chooses among.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/experiment.h"

namespace bulkhead {

// Values of a service's wants; none: as the template says.
struct SearchPoint {
  std::optional<unsigned> ccds;
  std::optional<unsigned> ways;
  std::optional<BandwidthAmount> bandwidth;
  std::optional<unsigned> threads_per_core;

  bool operator==(const SearchPoint&) const = default;
};

// "6 CCDs, 12 ways, 24 GB/s, 1 thread per core"
std::string describe(const SearchPoint& point);

// "4, 6 or 8 CCDs, 4 or 16 ways, 24 GB/s or unlimited bandwidth"
std::string describe(const SearchRanges& ranges);

class SearchSpace {
 public:
  explicit SearchSpace(SearchRanges ranges);

  std::size_t size() const;  // combinations, numbered from 0
  SearchPoint point(std::size_t number) const;
  // 0 to 1 for each want with more than one value: counts and rates by their logarithm, since twice as much
  // is a step, ways as they are. "unlimited" lies half as much again beyond the last rate.
  std::vector<double> coordinates(std::size_t number) const;
  // The combination that lies at these shares (0 to 1) of the lists of CCDs, ways, bandwidth and threads per
  // core.
  std::size_t at_shares(std::span<const double, 4> shares) const;
  // How many values each want with more than one has, as coordinates() orders them.
  std::vector<std::size_t> levels() const;

 private:
  struct Scale {
    std::size_t want = 0;             // 0 ccds, 1 ways, 2 bandwidth, 3 threads per core
    std::vector<double> coordinates;  // of each value
  };
  // Which value of each of the four wants; 0 where there is none.
  std::vector<std::size_t> choices(std::size_t number) const;

  SearchRanges ranges_;
  std::vector<Scale> scales_;
};

}  // namespace bulkhead
