// SPDX-License-Identifier: Apache-2.0
// Performance counters in the daemon, for as long as somebody wants them: counting takes files, and the
// processor's few counters from others.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "controller/daemon/metrics.h"
#include "controller/engine/live_host.h"
#include "controller/engine/outcomes.h"
#include "controller/monitor/perf_watch.h"

namespace bulkhead {

class PerfOnDemand {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kWantedFor{1};  // after somebody has asked

  // `always`: there is somebody who wants them at each look. The host must outlive it.
  PerfOnDemand(LiveHost& host, bool always) : host_(host), always_(always) {}

  // Goes on counting, where that is wanted; else ends it.
  void look(const Verification& found, Time now);
  // Somebody asks; `found` is null where no policy is in force. Rates take two samples.
  const PerfCounters& read(const Verification* found, Time now);
  void forget() { watch_.reset(); }

  PerfMetrics metrics() const;
  // What is not counted, and why; empty for nothing, and while nobody wants to know.
  std::string lack() const;

 private:
  void sample(const Verification* found, Time now);

  LiveHost& host_;
  bool always_;
  std::unique_ptr<PerfWatch> watch_;
  std::optional<Time> asked_, sampled_;
};

}  // namespace bulkhead
