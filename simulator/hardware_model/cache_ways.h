// SPDX-License-Identifier: Apache-2.0
// Who holds which bytes of each way of each L3. Lines go only where a mask lets them, but they leave only
// when somebody else puts others in their place: a way that nobody fills keeps what it has, whatever the
// masks say.
#pragma once

#include <span>
#include <vector>

#include "simulator/hardware_model/machine.h"
#include "simulator/hardware_model/placement.h"

namespace bulkhead::sim {

struct Inflow {
  unsigned holder = 0;
  unsigned ccd = 0;
  WayMask ways;
  double rate = 0;  // bytes/s that miss and so come in
};

class CacheWays {
 public:
  explicit CacheWays(const Machine& machine);

  unsigned add_holder();
  double bytes(unsigned holder, unsigned ccd) const;
  double bytes_in(unsigned holder, unsigned ccd, WayMask ways) const;

  // Time passes with steady inflows. Two steps are exactly one of their sum, rounding aside.
  void pass(std::span<const Inflow> inflows, double seconds);
  // A part, from 0 to 1, of the way to where these inflows lead if they last; the largest change in bytes of
  // a CCD.
  double approach(std::span<const Inflow> inflows, double part);

 private:
  struct Way {
    double inflow = 0;  // bytes/s of all
    double moved = 0;   // part of the way's bytes that is replaced
  };

  struct Holder {
    std::vector<double> bytes;    // by CCD and way
    std::vector<double> changes;  // by CCD, in the latest step
    bool empty = true;
  };

  void add_up(std::span<const Inflow> inflows);
  double replace(std::span<const Inflow> inflows);
  void push_out(Holder& holder);
  void bring_in(const Inflow& inflow);

  std::size_t ccds_;
  std::size_t ways_;
  double way_bytes_;
  double settling_;
  std::vector<Way> totals_;  // by CCD and way
  std::vector<Holder> holders_;
};

}  // namespace bulkhead::sim
