// SPDX-License-Identifier: Apache-2.0
// What a monitoring system should know, as a text file that node_exporter's textfile collector reads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/monitor/snapshot.h"

namespace bulkhead {

// Of durations in seconds; bounds as Prometheus has them, each with all that was at most as long.
struct DurationHistogram {
  static constexpr std::array kBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                      0.1,   0.25,   0.5,   1.0,  2.5,   10.0};

  std::array<std::uint64_t, kBounds.size()> counts{};
  std::uint64_t count = 0;
  double sum = 0;

  void take(double seconds);
};

// Events a second of a service or a CCD, as far as the processor counts them.
struct PerfRate {
  std::string of, event;
  double value = 0;
};
struct PerfMetrics {
  std::vector<PerfRate> services, ipc, ccds;  // "ipc" without events
};

struct Metrics {
  std::string policy;  // empty: none is in force
  std::uint64_t generation = 0;
  std::map<std::string, std::size_t> drift;                              // findings now, by kind
  std::size_t waiting = 0;                                               // services
  std::map<std::pair<std::string, std::string>, std::size_t> behaviour;  // judgements, by kind and verdict
  Snapshot counters;
  PerfMetrics perf;
  std::uint64_t looks = 0, look_failures = 0, repairs = 0, repair_failures = 0, followed_threads = 0;
  bool look_failing = false;     // the last one did
  bool state_unwritten = false;  // what a reboot would put in force is not what is in force
  double last_look = 0;          // that did not fail, in seconds since the epoch
  DurationHistogram applies, look_durations;
  std::uint64_t api_clients = 0, api_requests = 0, api_refusals = 0, api_turned_away = 0, api_lost_events = 0;
};

// In Prometheus' text format, version 0.0.4.
std::string metrics_text(const Metrics& metrics);

// Replaces the file at once, so that nobody reads half of it; mode 0644. Throws Error.
void write_metrics_file(const std::string& path, const std::string& text);

}  // namespace bulkhead
