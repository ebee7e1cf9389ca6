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
  holders_.push_back({.bytes = std::vector<double>(ccds_ * ways_), .changes = std::vector<double>(ccds_)});
  return static_cast<unsigned>(holders_.size() - 1);
}

double CacheWays::bytes(unsigned holder, unsigned ccd) const {
  return bytes_in(holder, ccd, WayMask::run(0, static_cast<unsigned>(ways_)));
}

double CacheWays::bytes_in(unsigned holder, unsigned ccd, WayMask ways) const {
  double sum = 0;
  for (std::size_t way = 0; way < ways_; ++way) {
    if (holds(ways, way)) sum += holders_[holder].bytes[ccd * ways_ + way];
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
  for (Holder& holder : holders_) {
    std::fill(holder.changes.begin(), holder.changes.end(), 0);
    if (!holder.empty) push_out(holder);
  }
  for (const Inflow& inflow : inflows) {
    if (inflow.rate > 0) bring_in(inflow);
  }
  double largest = 0;
  for (const Holder& holder : holders_) {
    for (const double change : holder.changes) largest = std::max(largest, std::abs(change));
  }
  return largest;
}

// What is less than a byte has gone: of those who were here once there are ever more, and each would be counted on.
void CacheWays::push_out(Holder& holder) {
  constexpr double kGone = 1;
  holder.empty = true;
  for (std::size_t at = 0; at < totals_.size(); ++at) {
    const double before = holder.bytes[at];
    if (before == 0) continue;
    const double after = before * (1 - totals_[at].moved);
    holder.bytes[at] = totals_[at].moved > 0 && after < kGone ? 0 : after;
    holder.changes[at / ways_] += holder.bytes[at] - before;
    holder.empty = holder.empty && holder.bytes[at] == 0;
  }
}

void CacheWays::bring_in(const Inflow& inflow) {
  Holder& holder = holders_[inflow.holder];
  for (std::size_t way = 0; way < ways_; ++way) {
    if (!holds(inflow.ways, way)) continue;
    const std::size_t at = inflow.ccd * ways_ + way;
    const double bytes = totals_[at].moved * way_bytes_ * rate_per_way(inflow) / totals_[at].inflow;
    holder.bytes[at] += bytes;
    holder.changes[inflow.ccd] += bytes;
    holder.empty = holder.empty && bytes == 0;
  }
}

}  // namespace bulkhead::sim
