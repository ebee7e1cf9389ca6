// SPDX-License-Identifier: Apache-2.0
// One candidate against the control, block by block, until there is a verdict.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/experiment/block_differences.h"
#include "controller/experiment/confidence_sequence.h"
#include "controller/experiment/judge_terms.h"
#include "controller/experiment/result.h"

namespace bulkhead {

// A metric's benefit so far. With five looks its interval is that of the last look.
struct MetricTrack {
  ConfidenceSequence benefit;
  std::optional<Interval> interval;
};

class Comparison {
 public:
  // `terms` outlives it.
  Comparison(const JudgeTerms& terms, std::string candidate, std::size_t bands = 0);

  // By the experiment's metrics, as block_differences() gives them. Allocates nothing.
  void add(std::span<const std::optional<double>> differences, std::optional<std::size_t> band = {});
  // A block that does not count. Whose fault it was may be unknown.
  void add_dropped(const std::string& arm);
  // Whatever the numbers say, this is what it ends with.
  void end_with(ArmVerdict verdict, std::string reason);

  ArmVerdict verdict() const { return verdict_; }
  const std::string& candidate() const { return candidate_; }
  const std::string& given_reason() const { return given_reason_; }               // that of end_with
  const MetricTrack& track(std::size_t metric) const { return tracks_[metric]; }  // as in the terms
  const ConfidenceSequence& band_track(std::size_t band, std::size_t metric) const {
    return bands_[band][metric];
  }
  std::size_t bands() const { return bands_.size(); }
  unsigned blocks() const { return tracks_.front().benefit.count(); }
  unsigned run() const { return run_; }  // blocks, the dropped ones too
  unsigned dropped_here() const { return dropped_here_; }
  unsigned dropped_control() const { return dropped_control_; }

  bool guard_holds(std::size_t metric) const;   // at most its margin worse
  bool guard_breaks(std::size_t metric) const;  // worse by more than its margin
  bool is_futile() const;                       // less than the smallest effect of interest

 private:
  std::optional<Interval> look(const MetricTrack& track, const MetricTerms& metric) const;
  void decide();

  const JudgeTerms& terms_;
  std::string candidate_;
  std::vector<MetricTrack> tracks_;
  std::vector<std::vector<ConfidenceSequence>> bands_;  // of the primary and the guards
  unsigned run_ = 0;
  unsigned dropped_here_ = 0;
  unsigned dropped_control_ = 0;
  ArmVerdict verdict_ = ArmVerdict::open;
  std::string given_reason_;
};

}  // namespace bulkhead
