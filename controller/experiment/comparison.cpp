// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/comparison.h"

#include "controller/experiment/dropped_blocks.h"

namespace bulkhead {

Comparison::Comparison(const JudgeTerms& terms, std::string candidate, std::size_t bands)
    : terms_(terms), candidate_(std::move(candidate)) {
  tracks_.assign(terms.metrics.size(), MetricTrack{ConfidenceSequence(terms.mixture), std::nullopt});
  bands_.assign(bands, std::vector<ConfidenceSequence>(1 + terms.guards, ConfidenceSequence(terms.mixture)));
}

void Comparison::add(std::span<const std::optional<double>> differences, std::optional<std::size_t> band) {
  ++run_;
  for (std::size_t metric = 0; metric < tracks_.size(); ++metric) {
    const MetricTerms& terms = terms_.metrics[metric];
    const std::optional<double>& difference = differences[terms.index];
    if (!difference) continue;
    MetricTrack& track = tracks_[metric];
    track.benefit.add(terms.sign() * *difference);
    if (const auto seen = look(track, terms); seen || !terms_.looks) track.interval = seen;
    if (band && metric <= terms_.guards) bands_[*band][metric].add(terms.sign() * *difference);
  }
  decide();
}

std::optional<Interval> Comparison::look(const MetricTrack& track, const MetricTerms& metric) const {
  if (!terms_.looks) return track.benefit.interval(metric.alpha);
  return (metric.margin ? *terms_.guard_looks : *terms_.looks)
      .interval(track.benefit, run_ >= terms_.most_blocks);
}

void Comparison::add_dropped(const std::string& arm) {
  ++run_;
  if (arm == candidate_) ++dropped_here_;
  if (arm == terms_.control) ++dropped_control_;
  if (verdict_ == ArmVerdict::open && is_lopsided(dropped_here_, dropped_control_))
    verdict_ = ArmVerdict::invalid;
  for (std::size_t metric = 0; terms_.looks && metric < tracks_.size(); ++metric) {
    // The budget may end with a block that does not count: what there is gets its last look then.
    if (const auto seen = look(tracks_[metric], terms_.metrics[metric])) tracks_[metric].interval = seen;
  }
  decide();
}

void Comparison::end_with(ArmVerdict verdict, std::string reason) {
  verdict_ = verdict;
  given_reason_ = std::move(reason);
}

bool Comparison::guard_holds(std::size_t metric) const {
  const std::optional<Interval>& interval = tracks_[metric].interval;
  return interval && interval->low > -*terms_.metrics[metric].margin;
}

bool Comparison::guard_breaks(std::size_t metric) const {
  const std::optional<Interval>& interval = tracks_[metric].interval;
  return interval && interval->high < -*terms_.metrics[metric].margin;
}

bool Comparison::is_futile() const {
  const std::optional<Interval>& interval = tracks_.front().interval;
  return interval && interval->high < terms_.smallest_effect;
}

void Comparison::decide() {
  if (verdict_ != ArmVerdict::open) return;
  if (blocks() >= terms_.least_blocks) {
    const std::optional<Interval>& primary = tracks_.front().interval;
    bool all_hold = primary && primary->low > 0;
    bool broken = is_futile();
    for (std::size_t guard = 1; guard <= terms_.guards; ++guard) {
      all_hold = all_hold && guard_holds(guard);
      broken = broken || guard_breaks(guard);
    }
    if (broken)
      verdict_ = ArmVerdict::reject;
    else if (all_hold)
      verdict_ = ArmVerdict::adopt;
  }
  if (verdict_ == ArmVerdict::open && run_ >= terms_.most_blocks) verdict_ = ArmVerdict::inconclusive;
}

}  // namespace bulkhead
