// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/comparison_text.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/experiment/change_text.h"

namespace bulkhead {
namespace {

Estimate estimate_of(const JudgeTerms& terms, const MetricTerms& metric, const ConfidenceSequence& benefit,
                     const std::optional<Interval>& interval, const char* why_none) {
  Estimate estimate;
  estimate.metric = metric.name;
  estimate.confidence = 1 - metric.alpha;
  estimate.blocks = benefit.count();
  if (estimate.blocks == 0) {
    estimate.why_none = why_none;
    return estimate;
  }
  estimate.change = metric.change(benefit.mean());
  const auto raw = [&](const Interval& found, std::optional<double>& low, std::optional<double>& high) {
    low = metric.change(metric.better == Better::higher ? found.low : found.high);
    high = metric.change(metric.better == Better::higher ? found.high : found.low);
  };
  if (interval) raw(*interval, estimate.low, estimate.high);
  if (const auto second = benefit.asymptotic_interval(metric.alpha, terms.most_blocks)) {
    raw(*second, estimate.second_low, estimate.second_high);
  }
  estimate.e_value = benefit.e_value();
  estimate.p_value = std::min(1.0, 1 / benefit.largest_e_value());
  if (benefit.count() >= 2) {
    const double seen = detectable_effect(benefit.deviation(), benefit.count());
    estimate.detectable = metric.better == Better::higher ? metric.change(seen) : -metric.change(seen);
  }
  return estimate;
}

std::string stand_of(const JudgeTerms& terms, const Estimate& estimate) {
  if (!estimate.change) return "nothing is known of " + estimate.metric;
  std::string text = estimate.metric + " " + format_change(*estimate.change) + " against " + terms.control;
  if (!estimate.low) return text;
  return text + " (" + format_change(*estimate.low) + " to " + format_change(*estimate.high) + " at " +
         format_share(estimate.confidence) + ")";
}

// The end of a guard's interval that matters to it: the worst it may be, or the least harm it has done.
std::string guard_end(const MetricTerms& metric, const Estimate& estimate, bool worst) {
  const bool high = (metric.better == Better::lower) == worst;
  return format_change(high ? *estimate.high : *estimate.low);
}

std::string guard_margin(const MetricTerms& metric) {
  return format_change((metric.better == Better::lower ? 1 : -1) * metric.margin_share);
}

// What is measured differs at least a little from one time to the next. A constant does not.
std::string doubt_of(const Estimate& estimate) {
  if (!estimate.detectable || *estimate.detectable != 0) return {};
  return "; no block differs from another: is " + estimate.metric + " measured at all?";
}

std::string adopt_reason(const JudgeTerms& terms, const ArmResult& result) {
  std::string text = stand_of(terms, result.estimates.front()) + " in " + counted(result.blocks, "block");
  for (std::size_t guard = 1; guard <= terms.guards; ++guard) {
    const MetricTerms& metric = terms.metrics[guard];
    text += "; " + metric.name + " is at worst " + guard_end(metric, result.estimates[guard], true) +
            ", and " + guard_margin(metric) + " is allowed";
  }
  return text;
}

std::string reject_reason(const JudgeTerms& terms, const Comparison& comparison, const ArmResult& result) {
  for (std::size_t guard = 1; guard <= terms.guards; ++guard) {
    if (!comparison.guard_breaks(guard)) continue;
    const MetricTerms& metric = terms.metrics[guard];
    const Estimate& estimate = result.estimates[guard];
    return stand_of(terms, estimate) + " in " + counted(result.blocks, "block") + ": at best " +
           guard_end(metric, estimate, false) + ", and " + guard_margin(metric) + " is allowed";
  }
  const MetricTerms& primary = terms.metrics.front();
  const double wanted = primary.sign() * terms.smallest_share;
  const Estimate& estimate = result.estimates.front();
  return stand_of(terms, estimate) + " in " + counted(result.blocks, "block") + ": less than the " +
         format_change(wanted) + " that would matter" + doubt_of(estimate);
}

std::string inconclusive_reason(const JudgeTerms& terms, const Comparison& comparison,
                                const ArmResult& result) {
  if (result.blocks == 0) return "none of " + counted(comparison.run(), "block") + " counts";
  const Estimate& primary = result.estimates.front();
  std::string text = stand_of(terms, primary) + " in " + counted(result.blocks, "block");
  for (std::size_t guard = 1; guard <= terms.guards; ++guard) {
    if (comparison.guard_holds(guard)) continue;
    text += "; " + stand_of(terms, result.estimates[guard]) + ", and " + guard_margin(terms.metrics[guard]) +
            " is allowed";
  }
  const std::string doubt = doubt_of(primary);
  if (primary.detectable && doubt.empty())
    text += "; a change of " + format_change(*primary.detectable) + " would most likely have been seen";
  return text + doubt;
}

std::string open_reason(const JudgeTerms& terms, const Comparison& comparison, const ArmResult& result) {
  const std::string progress =
      std::to_string(comparison.run()) + " of at most " + counted(terms.most_blocks, "block");
  return result.blocks == 0 ? progress : progress + ": " + stand_of(terms, result.estimates.front());
}

std::string invalid_reason(const JudgeTerms& terms, const Comparison& comparison) {
  return std::to_string(comparison.dropped_here()) + " of " + counted(comparison.run(), "block") +
         " were lost by " + comparison.candidate() + " and " + std::to_string(comparison.dropped_control()) +
         " by " + terms.control + ": those that are left do not compare them fairly";
}

std::string reason_of(const JudgeTerms& terms, const Comparison& comparison, const ArmResult& result) {
  if (!comparison.given_reason().empty()) return comparison.given_reason();
  switch (result.verdict) {
    case ArmVerdict::adopt:
      return adopt_reason(terms, result);
    case ArmVerdict::reject:
      return reject_reason(terms, comparison, result);
    case ArmVerdict::inconclusive:
      return inconclusive_reason(terms, comparison, result);
    case ArmVerdict::invalid:
      return invalid_reason(terms, comparison);
    case ArmVerdict::open:
    case ArmVerdict::failed_safe:
      break;
  }
  return open_reason(terms, comparison, result);
}

std::vector<BandEstimate> band_estimates(const JudgeTerms& terms, const Comparison& comparison,
                                         const std::vector<double>& edges) {
  std::vector<BandEstimate> bands;
  for (std::size_t band = 0; band < comparison.bands(); ++band) {
    for (std::size_t metric = 0; metric <= terms.guards; ++metric) {
      const ConfidenceSequence& benefit = comparison.band_track(band, metric);
      BandEstimate found;
      if (band > 0) found.from = edges[band - 1];
      if (band < edges.size()) found.to = edges[band];
      found.estimate =
          estimate_of(terms, terms.metrics[metric], benefit, benefit.interval(terms.metrics[metric].alpha),
                      "no block that counts was in this band from its first window to its last");
      bands.push_back(std::move(found));
    }
  }
  return bands;
}

}  // namespace

ArmResult arm_result(const JudgeTerms& terms, const Comparison& comparison,
                     const std::vector<double>& edges) {
  ArmResult result;
  result.arm = comparison.candidate();
  result.verdict = comparison.verdict();
  result.blocks = comparison.blocks();
  result.dropped_here = comparison.dropped_here();
  result.dropped_control = comparison.dropped_control();
  for (std::size_t metric = 0; metric < terms.metrics.size(); ++metric) {
    const MetricTrack& track = comparison.track(metric);
    result.estimates.push_back(estimate_of(terms, terms.metrics[metric], track.benefit, track.interval,
                                           "no block has a value of it above 0 in each of its windows"));
  }
  result.bands = band_estimates(terms, comparison, edges);
  result.reason = reason_of(terms, comparison, result);
  return result;
}

}  // namespace bulkhead
