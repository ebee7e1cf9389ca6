// SPDX-License-Identifier: Apache-2.0
// An experiment as it was written: arms to compare, what is measured, and when it may end. Paths are as they
// were written; whoever runs it resolves them against the folder of the experiment's file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/base/units.h"
#include "policies/diagnostic.h"
#include "policies/policy.h"

namespace bulkhead {

// A program with its arguments; no shell. Run in the folder of the experiment's file.
struct Command {
  std::vector<std::string> words;                // at least one
  std::chrono::milliseconds time_limit{10'000};  // it is killed, with all its children, after that
  Place place;
};

// ---- arms

struct ArmWant {
  std::string name;
  std::optional<std::string> policy;  // a policy's file; none ("none"): the host without any policy of ours
  std::optional<Command> on_enter;    // after the policy is in force
  std::optional<Command>
      on_leave;  // before the next arm's policy is applied, and whatever ends the experiment
  Place place;   // of its key
  Place policy_place;
};

// ---- what is measured

enum class PageReading {
  value,     // a gauge, read at the end of a window
  rate,      // a counter's increase a second over the window
  quantile,  // of a histogram's increase over the window
};

// A Prometheus text page. A series is a name with labels that must match ("name{code=\"200\"}"); all series
// that match are added up.
struct PageSource {
  std::string page;  // http://HOST[:PORT]/PATH, or a file's path
  PageReading reading = PageReading::value;
  std::string series;   // of a histogram: its name without _bucket
  double quantile = 0;  // of quantile: above 0, below 1
  std::string per;      // of rate: the counter whose growth stands for the time; empty: seconds
};

enum class CommandReading {
  value,     // the command prints one number
  quantile,  // the command prints one sample a line
};

// A program that is started at the beginning of the measurement. The window is over for it when the time is;
// `{seconds}` in a word stands for the window's length.
struct CommandSource {
  Command command;
  CommandReading reading = CommandReading::value;
  double quantile = 0;
};

enum class CounterReading { total_bandwidth, local_bandwidth, occupancy, cpu_time };

// What Bulkhead's own counters say of a service of the arm's policy: bytes a second, bytes, or CPUs in use.
struct ServiceCounterSource {
  std::string service;
  CounterReading reading = CounterReading::total_bandwidth;
};

using MetricSource = std::variant<PageSource, CommandSource, ServiceCounterSource>;

enum class Better { higher, lower };

struct MetricWant {
  std::string name;
  MetricSource source;
  Better better = Better::higher;
  std::uint64_t least_requests = 2'000;  // a window with fewer samples has no quantile
  Place place;
};

struct Guard {
  std::string metric;
  Percent margin;  // how much worse is still not worse
  Place place;
};

// Beyond it the arm is left at once and is out.
struct HardLimit {
  std::string metric;
  std::optional<double> above;  // exactly one of both
  std::optional<double> below;
  Place place;
};

// Results also per band of a metric: below the first edge, between each two, from the last one on.
struct LoadBands {
  std::string metric;
  std::vector<double> edges;  // rising, at least one
  Place place;
};

enum class OnRestart { restore, resume };

// When the numbers may be looked at: after every block, or at five looks at fifths of `most_blocks`, which
// needs fewer blocks for the same effect but ends only there.
enum class Looks { any_time, five };

// ---- searching instead of writing arms

// Values of one service's wants to choose among. An empty list: as the template says.
struct SearchRanges {
  std::vector<unsigned> ccds;              // cpus.count.ccds: rising
  std::vector<unsigned> ways;              // l3, in ways: rising
  std::vector<BandwidthAmount> bandwidth;  // rising, all rates or all percents; "unlimited" only as the last
  std::vector<unsigned> threads_per_core;  // rising
};

// The best of all combinations whose latency keeps the limit. What is found is confirmed against the control
// as any arm is: the best of many noisy results looks better than it is.
struct SearchWant {
  std::string policy;   // the template's file
  std::string service;  // of the template: whose wants are varied
  SearchRanges ranges;  // at least two combinations
  std::string latency;  // the name of a metric, lower is better
  double latency_limit = 0;
  unsigned evaluations = 15;  // 7 to 20, a block against the control each; the first 6 are set beforehand
  Place place;
  Place policy_place;
  Place service_place;
  Place latency_place;
};

struct Experiment {
  std::string name;
  std::string summary;
  std::vector<ArmWant> arms;  // in the order of the document; at least two, or one with a search: the control
  std::string control;        // the name of an arm
  std::vector<MetricWant> metrics;
  std::string primary;           // the name of a metric
  Percent smallest_effect{100};  // of interest, of the primary: 1 %
  std::vector<Guard> guards;
  std::vector<HardLimit> limits;
  std::optional<LoadBands> bands;
  std::chrono::milliseconds window{30'000};          // of measurement
  std::optional<std::chrono::milliseconds> washout;  // none ("auto"): from the step response
  unsigned least_blocks = 3;                         // of each candidate, before a verdict
  unsigned most_blocks = 40;
  Percent confidence{9'500};
  std::uint64_t seed = 0;
  bool seed_given = false;  // otherwise the runner draws one and records it
  OnRestart on_restart = OnRestart::restore;
  Looks looks = Looks::any_time;
  // The deviation of a block's difference, where an earlier experiment or a comparison of the control with
  // itself has told. It must be known before the first block: what follows from it is fixed then.
  std::optional<Percent> noise;
  std::optional<SearchWant> search;

  // What of it is done on the host that runs it, in its folder and with its rights: "arm "a" runs a command";
  // nothing where it only reads pages over HTTP and counters.
  std::optional<std::string> local_deed() const;

  std::vector<std::string> candidates() const;  // the arms without the control, in their order
  const ArmWant* find_arm(const std::string& arm_name) const;

  // The files of all policies that it names, with where and by whom ("arm "numa""). Some may be named twice.
  struct PolicyName {
    std::string file;
    std::string by;
    Place place;
  };
  std::vector<PolicyName> policies() const;
};

}  // namespace bulkhead
