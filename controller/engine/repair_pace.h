// SPDX-License-Identifier: Apache-2.0
// When which thing may be mended: each by itself, so that a fight over one keeps no other from being mended
// at once, and all together no more often than a bound.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/engine/backoff.h"
#include "controller/engine/step_things.h"

namespace bulkhead {

class RepairPace {
 public:
  using Time = Backoff::Time;
  static constexpr std::size_t kMostRepairs = 60;  // in kQuiet, of whatever things

  // Those of them that have to wait.
  Things held(const Things& things, Time now);

  // When the first of them may be mended.
  Time next(const Things& things, Time now) const;

  // One repair of all these.
  void tried(const Things& things, Time now);

  // Those of them, all held for their own sake, that were not asked for here since their last quiet time.
  Things untold(const Things& held);

  Time next(const std::string& thing, Time now) const;

 private:
  struct Thing {
    Backoff backoff;
    bool told = false;
  };

  void forget_what_is_quiet(Time now);
  bool is_exhausted() const { return repairs_.size() >= kMostRepairs; }

  std::map<std::string, Thing> things_;
  std::deque<Time> repairs_;  // within the last kQuiet
};

}  // namespace bulkhead
