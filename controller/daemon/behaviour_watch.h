// SPDX-License-Identifier: Apache-2.0
// How the host that is kept behaves, along with the keeper's looks: no wake-up of its own but while a change
// settles.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "controller/daemon/perf_on_demand.h"
#include "controller/engine/behaviour_check.h"
#include "controller/engine/live_host.h"

namespace bulkhead {

class BehaviourWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kBetweenLooks{1};  // events can make many looks
  static constexpr std::chrono::seconds kWhileSettling{5};

  struct Change {
    std::optional<Verdict> before;  // nothing: not judged before
    Judgement now;
  };

  // The host must outlive it, and is as it was opened. See PerfOnDemand for `always_perf`.
  BehaviourWatch(LiveHost& host, bool always_perf);

  // What is judged otherwise than at the look before; of what was not judged before what is violated or not
  // settled.
  std::vector<Change> look(const Verification& found, Time now);
  void masks_changed() { check_.masks_changed(); }  // by a repair: what fills them has to settle
  void forget();                                    // no policy is in force, or another

  // Groups of ours for which there is no bandwidth counter, and who holds them (ABMC); empty for none. Those
  // that are free are given to them at each look.
  const std::string& uncounted() const { return uncounted_; }

  // When the next look would tell more, if before the sweep.
  std::optional<Time> again() const { return again_; }

  const std::vector<Judgement>& judgements() const { return judgements_; }
  bool counts() const { return check_.counts(); }
  Snapshot counters() const;  // as read last
  // All of them, now; `found` is null where no policy is in force. Throws Error(unsupported) where nothing
  // counts them.
  Snapshot read_counters(const Verification* found);
  PerfOnDemand& perf() { return perf_; }

 private:
  void assign_counters_that_lack();

  LiveHost& host_;
  BehaviourCheck check_;
  PerfOnDemand perf_;
  std::vector<Judgement> judgements_;
  std::string uncounted_;
  std::optional<Time> looked_, again_;
};

nlohmann::ordered_json changes_json(const std::vector<BehaviourWatch::Change>& changes);

}  // namespace bulkhead
