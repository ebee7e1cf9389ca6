// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/way_packing.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace bulkhead {
namespace {

// A search that takes longer is given up as if nothing fitted; real caches have at most 20 ways and 16
// groups.
constexpr unsigned kMostTries = 20'000;

WayMask lowest_ways(WayMask from, unsigned count) {
  WayMask taken;
  for (; count != 0 && !from.empty(); --count) {
    const WayMask lowest{from.bits & (~from.bits + 1)};
    taken = taken | lowest;
    from = from - lowest;
  }
  return taken;
}

unsigned longest_run(WayMask mask) {
  unsigned longest = 0;
  // Each step keeps the ways whose lower neighbour is there too, so runs shrink by one.
  for (; !mask.empty(); mask = {mask.bits & (mask.bits << 1)}) ++longest;
  return longest;
}

// The lowest of the longest runs.
WayMask largest_run(WayMask mask) {
  const unsigned length = longest_run(mask);
  if (length == 0) return {};
  for (unsigned first = 0; first + length <= 64; ++first) {
    if (mask.contains(WayMask::run(first, length))) return WayMask::run(first, length);
  }
  return {};
}

// Disjoint masks for several asks inside one set of ways, by depth-first search over the runs of each ask.
class Placement {
 public:
  // `room` is what must be left over for those that share: a run of that many ways, or as many with gaps.
  Placement(WayMask ways, WayMask last_choice, WayMask shared, unsigned room)
      : ways_(ways), last_choice_(last_choice), shared_(shared), room_(room) {}

  // Without the last choice if that can be, however the asks must be moved about for it.
  bool place_runs(std::span<const unsigned> counts) {
    for (const WayMask ways : {ways_ - last_choice_, ways_}) {
      masks_.assign(counts.size(), {});
      tries_ = 0;
      if (place_next(counts, 0, ways)) return true;
    }
    return false;
  }

  // With gaps, for machines that allow them.
  bool place_sparse(std::span<const unsigned> counts) {
    masks_.assign(counts.size(), {});
    WayMask used;
    for (std::size_t index = 0; index < counts.size(); ++index) {
      const WayMask free = ways_ - used;
      if (free.count() < counts[index]) return false;
      const WayMask preferred = lowest_ways(free - last_choice_, counts[index]);
      masks_[index] = preferred | lowest_ways(free & last_choice_, counts[index] - preferred.count());
      used = used | masks_[index];
    }
    return (shared_ - used).count() >= room_;
  }

  const std::vector<WayMask>& masks() const { return masks_; }

 private:
  bool place_next(std::span<const unsigned> counts, std::size_t index, WayMask free) {
    if (longest_run(shared_ - used(index)) < room_) return false;
    if (index == counts.size()) return true;
    for (const WayMask run : runs(counts[index], free)) {
      if (++tries_ > kMostTries) return false;
      masks_[index] = run;
      if (place_next(counts, index + 1, free - run)) return true;
    }
    return false;
  }

  WayMask used(std::size_t placed) const {
    WayMask all;
    for (std::size_t index = 0; index < placed; ++index) all = all | masks_[index];
    return all;
  }

  // Where `count` ways can lie, the best first: few ways of the last choice, then low.
  std::vector<WayMask> runs(unsigned count, WayMask free) const {
    std::vector<WayMask> found;
    for (unsigned first = 0; first + count <= 64; ++first) {
      const WayMask run = WayMask::run(first, count);
      if (free.contains(run)) found.push_back(run);
    }
    std::stable_sort(found.begin(), found.end(), [&](WayMask left, WayMask right) {
      return (left & last_choice_).count() < (right & last_choice_).count();
    });
    return found;
  }

  WayMask ways_;
  WayMask last_choice_;
  WayMask shared_;
  unsigned room_;
  std::vector<WayMask> masks_;
  unsigned tries_ = 0;
};

// The asks that are being packed: positions into the caller's list.
using Chosen = std::vector<std::size_t>;

class Packer {
 public:
  Packer(const WayField& field, std::span<const WayAsk> asks) : field_(field), asks_(asks) {}

  std::variant<std::vector<WayMask>, WayShortage> pack() {
    const Chosen all = in_order();
    if (place_exclusive(all, 0)) {
      place_shared();
      return masks_;
    }
    Chosen taken;
    for (const std::size_t next : all) {
      taken.push_back(next);
      if (!place_exclusive(taken, 0)) break;
    }
    return WayShortage{taken.back(), most_that_fits(taken)};
  }

 private:
  // Who is served first, and so is not the one to be told that something does not fit: those content with
  // what is left, fixed masks, exclusive owners, the others.
  Chosen in_order() const {
    const auto rank = [](const WayAsk& ask) {
      if (wants_everything(ask)) return 0;
      if (ask.fixed) return 1;
      return ask.exclusive ? 2 : 3;
    };
    Chosen order(asks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return rank(asks_[left]) < rank(asks_[right]);
    });
    return order;
  }

  static bool wants_everything(const WayAsk& ask) { return !ask.exclusive && !ask.fixed && ask.ways == 0; }

  unsigned ways_of(const WayAsk& ask) const {
    return ask.exclusive && ask.ways == 0 ? field_.full.count() : ask.ways;
  }

  // Places the exclusive ones among `chosen` into masks_ such that each of the others finds room by itself.
  // A `cut` other than 0 is asked for in place of what the last of them wants.
  bool place_exclusive(const Chosen& chosen, unsigned cut) {
    masks_.assign(asks_.size(), {});
    WayMask fixed;
    WayMask owned;
    unsigned room = 0;
    Chosen placed;
    std::vector<unsigned> counts;
    for (const std::size_t index : chosen) {
      const WayAsk& ask = asks_[index];
      const unsigned ways = cut != 0 && index == chosen.back() ? cut : ways_of(ask);
      if (ask.fixed) {
        masks_[index] = *ask.fixed;
        fixed = fixed | *ask.fixed;
        if (ask.exclusive) owned = owned | *ask.fixed;
      } else if (ask.exclusive) {
        placed.push_back(index);
        counts.push_back(ways);
      } else {
        room = std::max(room, wants_everything(ask) ? field_.min_ways : ways);
      }
    }
    const WayMask usable = field_.full - field_.forbidden;
    Placement placement(usable - field_.foreign - fixed, field_.shareable, usable - owned, room);
    if (!placement.place_runs(counts) && !(field_.sparse && placement.place_sparse(counts))) return false;
    for (std::size_t index = 0; index < placed.size(); ++index)
      masks_[placed[index]] = placement.masks()[index];
    return true;
  }

  unsigned most_that_fits(const Chosen& taken) {
    const WayAsk& last = asks_[taken.back()];
    if (last.fixed || wants_everything(last)) return 0;
    for (unsigned ways = ways_of(last) - 1; ways >= field_.min_ways && ways != 0; --ways) {
      if (place_exclusive(taken, ways)) return ways;
    }
    return 0;
  }

  void place_shared() {
    WayMask left = field_.full - field_.forbidden;
    WayMask fixed;
    Chosen placed;
    std::vector<unsigned> counts;
    for (std::size_t index = 0; index < asks_.size(); ++index) {
      const WayAsk& ask = asks_[index];
      if (ask.exclusive) {
        left = left - masks_[index];
      } else if (ask.fixed) {
        fixed = fixed | *ask.fixed;
      } else if (ask.ways != 0) {
        placed.push_back(index);
        counts.push_back(ask.ways);
      }
    }
    Placement apart(left - fixed, {}, {}, 0);
    if (apart.place_runs(counts)) {
      for (std::size_t index = 0; index < placed.size(); ++index)
        masks_[placed[index]] = apart.masks()[index];
    } else {
      place_overlapping(placed, left, fixed);
    }
    give_everything(left);
  }

  void place_overlapping(const Chosen& placed, WayMask left, WayMask fixed) {
    std::vector<WayMask> others{fixed};
    for (const std::size_t index : placed) {
      masks_[index] = least_crowded(asks_[index].ways, left, others);
      others.push_back(masks_[index]);
    }
  }

  // The lowest run with the least overlap; where there is no run, single ways on a machine that allows gaps.
  static WayMask least_crowded(unsigned count, WayMask left, const std::vector<WayMask>& others) {
    const auto crowd = [&](WayMask mask) {
      unsigned overlap = 0;
      for (const WayMask other : others) overlap += (mask & other).count();
      return overlap;
    };
    std::optional<WayMask> best;
    for (unsigned first = 0; first + count <= 64; ++first) {
      const WayMask run = WayMask::run(first, count);
      if (left.contains(run) && (!best || crowd(run) < crowd(*best))) best = run;
    }
    if (best) return *best;
    std::vector<std::tuple<unsigned, unsigned>> ways;
    for (unsigned way = 0; way < 64; ++way) {
      if (left.contains(WayMask::run(way, 1))) ways.emplace_back(crowd(WayMask::run(way, 1)), way);
    }
    std::sort(ways.begin(), ways.end());
    WayMask taken;
    for (std::size_t index = 0; index < std::min<std::size_t>(count, ways.size()); ++index) {
      taken = taken | WayMask::run(std::get<1>(ways[index]), 1);
    }
    return taken;
  }

  void give_everything(WayMask left) {
    for (std::size_t index = 0; index < asks_.size(); ++index) {
      if (wants_everything(asks_[index])) masks_[index] = field_.sparse ? left : largest_run(left);
    }
  }

  const WayField& field_;
  std::span<const WayAsk> asks_;
  std::vector<WayMask> masks_;
};

}  // namespace

std::variant<std::vector<WayMask>, WayShortage> pack_ways(const WayField& field,
                                                          std::span<const WayAsk> asks) {
  return Packer(field, asks).pack();
}

}  // namespace bulkhead
