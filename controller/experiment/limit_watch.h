// SPDX-License-Identifier: Apache-2.0
// Looks for passed limits of a candidate while others only wait: from when it is entered on, through its
// washout. Not of the control: it is what is left to, and in its washout the candidate's values linger.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "controller/experiment/experiment_host.h"
#include "controller/experiment/hard_limit.h"
#include "controller/experiment/meters.h"
#include "policies/experiment.h"

namespace bulkhead {

class LimitWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `folder`: of the experiment's file. The host must outlive it.
  LimitWatch(const Experiment& experiment, const std::string& folder, ExperimentHost& host);

  void candidate_begins(Time now);                // its washout
  void window_begins() { rates_since_.reset(); }  // rates are measured there
  void control_begins() { next_.reset(); }

  // What has a value at once at most each second, rates over half a window. A look that would last until
  // after `until`, to judge by the one before, is left out: sources that are slow do not delay a measurement.
  std::optional<PassedLimit> look(const std::function<Time()>& now, Time until);

 private:
  std::optional<PassedLimit> look_at_rates(Time now);

  const Experiment at_once_, all_;  // with those limits only, and only what they are of
  Meters values_, rates_;
  std::optional<Time> rates_since_;
  std::optional<Time> next_;
  Time::duration took_{};
};

}  // namespace bulkhead
