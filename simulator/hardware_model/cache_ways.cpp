// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/cache_ways.h"

#include <algorithm>
#include <cmath>

namespace bulkhead::sim {
namespace {

// Insertions spread evenly over the ways of a mask.
double rate_per_way(const Inflow& inflow) {
  return inflow.rate / inflow.ways.count();
}

bool holds(WayMask ways, std::size_t way) {
  return ((ways.bits >> way) & 1) != 0;
}

}  // namespace

CacheWays::CacheWays(const Machine& machine)
    : ccds_(machine.ccds.size()),
      ways_(machine.ways),
      way_bytes_(machine.way_bytes),
      settling_(machine.memory.cache_settling),
      totals_(ccds_ * ways_) {}

unsigned CacheWays::add_holder() {
  holders_.emplace_back(ccds_ * ways_);
  return static_cast<unsigned>(holders_.size() - 1);
}

double CacheWays::bytes(unsigned holder, unsigned ccd) const {
  return bytes_in(holder, ccd, WayMask::run(0, static_cast<unsigned>(ways_)));
}

double CacheWays::bytes_in(unsigned holder, unsigned ccd, WayMask ways) const {
  double sum = 0;
  for (std::size_t way = 0; way < ways_; ++way) {
    if (holds(ways, way)) sum += holders_[holder][ccd * ways_ + way];
  }
  return sum;
}

void CacheWays::pass(std::span<const Inflow> inflows, double seconds) {
  add_up(inflows);
  for (Way& way : totals_) {
    if (way.inflow > 0) way.moved = -std::expm1(-seconds / (settling_ + way_bytes_ / way.inflow));
  }
  replace(inflows);
}

double CacheWays::approach(std::span<const Inflow> inflows, double part) {
  add_up(inflows);
  for (Way& way : totals_) way.moved = way.inflow > 0 ? part : 0;
  return replace(inflows);
}

void CacheWays::add_up(std::span<const Inflow> inflows) {
  std::fill(totals_.begin(), totals_.end(), Way{});
  for (const Inflow& inflow : inflows) {
    for (std::size_t way = 0; way < ways_; ++way) {
      if (holds(inflow.ways, way)) totals_[inflow.ccd * ways_ + way].inflow += rate_per_way(inflow);
    }
  }
}

// Each holder moves towards its part of the inflow of a way.
double CacheWays::replace(std::span<const Inflow> inflows) {
  std::vector<std::vector<double>> after = holders_;
  for (std::vector<double>& bytes : after) {
    for (std::size_t at = 0; at < totals_.size(); ++at) bytes[at] *= 1 - totals_[at].moved;
  }
  for (const Inflow& inflow : inflows) {
    if (inflow.rate <= 0) continue;
    for (std::size_t way = 0; way < ways_; ++way) {
      if (!holds(inflow.ways, way)) continue;
      const Way& total = totals_[inflow.ccd * ways_ + way];
      after[inflow.holder][inflow.ccd * ways_ + way] +=
          total.moved * way_bytes_ * rate_per_way(inflow) / total.inflow;
    }
  }
  double largest = 0;
  for (std::size_t holder = 0; holder < after.size(); ++holder) {
    for (std::size_t ccd = 0; ccd < ccds_; ++ccd) {
      double change = 0;
      for (std::size_t at = ccd * ways_; at < (ccd + 1) * ways_; ++at) {
        change += after[holder][at] - holders_[holder][at];
      }
      largest = std::max(largest, std::abs(change));
    }
  }
  holders_ = std::move(after);
  return largest;
}

}  // namespace bulkhead::sim
