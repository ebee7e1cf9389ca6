// SPDX-License-Identifier: Apache-2.0
// What an experiment has brought so far: values that pass between the runner, the statistics and the reports.
// Everything a verdict rests on is here, the raw windows included, so that anybody can compute it again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulkhead {

// A metric over one window. Missing data is never a number.
struct MetricReading {
  std::optional<double> value;
  std::string why_none;  // "the page http://... did not answer within 2 s"; empty where there is a value
};

// One window: an arm in force, a washout that is not looked at, a measurement. Times are seconds since the
// experiment's start, by the monotonic clock.
struct WindowRecord {
  unsigned block = 0;  // from 1
  unsigned place = 0;  // in its block, 0 to 3
  std::string arm;
  bool switched = false;  // another arm was in force before
  double enters = 0;
  double measures = 0;  // the washout is over
  double ends = 0;
  std::vector<MetricReading> metrics;  // in the order of the experiment's metrics
  // The primary metric in both halves of the measurement, where its source can tell.
  std::optional<double> first_half, second_half;
};

struct BlockRecord {
  unsigned number = 0;      // from 1, in the order in which they ran
  std::string candidate;    // compared with the control
  std::string order;        // "ABBA" or "BAAB"; A is the control
  std::string dropped;      // why it does not count; empty if it does
  std::string dropped_arm;  // the arm of its first bad window
};

// How a candidate's metric compares with the control's: relative changes, 0.05 is 5 % more.
struct Estimate {
  std::string metric;
  unsigned blocks = 0;
  std::optional<double> change;     // none without blocks
  std::optional<double> low, high;  // of the confidence sequence, valid whenever one looks; none: unbounded
  double confidence = 0.95;  // that low and high have: candidates share the error, guards are one-sided
  std::optional<double> second_low, second_high;  // by the asymptotic sequence, from 30 blocks on
  double e_value = 1;                             // against "no change"
  std::optional<double> p_value;     // always valid: 1 / the largest e-value so far; none without blocks
  std::optional<double> detectable;  // the smallest change that would have been seen with these blocks
  std::string why_none;              // why there is no block; empty where there are any
};

struct BandEstimate {
  std::optional<double> from, to;  // of the load metric; none: open
  Estimate estimate;
};

enum class ArmVerdict { open, adopt, reject, inconclusive, failed_safe, invalid };

struct ArmResult {
  std::string arm;
  ArmVerdict verdict = ArmVerdict::open;
  std::string reason;               // one sentence
  std::vector<Estimate> estimates;  // the primary, then the guards, then the other metrics
  std::vector<BandEstimate> bands;  // of the primary and the guards
  unsigned blocks = 0;              // that count
  unsigned dropped_here = 0;        // blocks lost by a bad window of this arm
  unsigned dropped_control = 0;     // by one of the control
};

struct WashoutReport {
  double seconds = 0;           // in force at the end
  std::optional<double> drift;  // first half over second half of switched windows, mean, relative
  bool too_short = false;
  std::string text;  // one sentence
};

// What an arm is, in words and on this host.
struct ArmDescription {
  std::string name;
  std::string policy;       // the file as written; empty for the host without a policy
  std::string fingerprint;  // of the policy's text: a name-based UUID (SHA-1)
  std::string summary;
  std::string plan;  // `plan --json` of it, as text; empty without a policy
  std::string on_enter, on_leave;
};

// A window in which a hard limit was left: the arm is out at once.
struct LimitHit {
  double at = 0;       // seconds since the start
  unsigned block = 0;  // as in the window's record
  unsigned place = 0;
  std::string arm;
  std::string metric;
  double value = 0;
  std::string text;  // "p99 was 61.2, above its limit of 50"
};

// Something that an experimenter must know and that is no number: a throttled host, a changed governor.
struct Remark {
  double at = 0;  // seconds since the start
  std::string text;
};

// One combination of a search, measured in a block against the control.
struct Evaluation {
  unsigned number = 0;            // from 1, in the order in which they ran
  std::uint64_t combination = 0;  // its number in the space of all
  std::string point;              // "6 CCDs, 12 ways"
  bool designed = false;          // one of those that are set beforehand
  std::string order;              // of its block
  std::optional<double> change;   // of the primary metric against the control, relative
  std::optional<double> latency;  // of the windows with the combination, mean
  std::string why_none;           // where there are none
  bool failed = false;            // it left one of the limits
  std::vector<WindowRecord> windows;
};

struct SearchResult {
  std::string policy, service;  // the template's file, and whose wants are varied
  std::string latency;          // the metric
  double latency_limit = 0;
  std::uint64_t combinations = 0;  // of the ranges
  unsigned left_out = 0;           // of those tried that this host cannot have
  std::vector<Evaluation> evaluations;
  std::string found;         // "8 CCDs, 16 ways": the point that is compared with the control; empty: none
  std::string found_policy;  // its text
};

struct ExperimentResult {
  std::string name;
  std::string summary;
  std::string file;            // where the experiment was read from
  std::string fingerprint;     // of its text: a name-based UUID (SHA-1)
  std::string started, ended;  // UTC, ISO 8601; ended empty while it runs
  std::string ended_by;        // "verdict", "blocks", "stopped", "failed"; empty while it runs
  std::string failure;         // why, where it has failed; among the remarks, too
  std::string host;            // the baseline of `host save`, as JSON text
  std::string version;         // Bulkhead's
  std::uint64_t seed = 0;
  double confidence = 0.95;
  double smallest_effect = 0.01;
  std::string control, primary;
  std::vector<std::string> metrics;                    // names, in the order of windows' readings
  std::vector<bool> higher_is_better;                  // of these
  std::vector<std::pair<std::string, double>> guards;  // metric, margin
  std::vector<ArmDescription> arms;
  std::optional<SearchResult> search;
  std::vector<BlockRecord> blocks;  // of comparisons
  std::vector<WindowRecord> windows;
  std::vector<ArmResult> candidates;  // in the order of the arms, without the control
  WashoutReport washout;
  std::vector<LimitHit> limit_hits;
  std::vector<Remark> remarks;
  std::string verdict;  // one sentence over all candidates; empty until the first block has ended
};

}  // namespace bulkhead
