// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/washout_check.h"

#include <algorithm>
#include <cmath>

#include "controller/base/text.h"
#include "controller/experiment/change_text.h"

namespace bulkhead {
namespace {

constexpr double kAlpha = 0.025;  // of each of the two checks
constexpr double kLeastWashout = 2;
constexpr double kTimeConstants = 5;
constexpr std::size_t kLeastSamples = 6;

struct Mean {
  double sum = 0;
  unsigned count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return sum / count; }
};

}  // namespace

void WashoutCheck::add(const BlockRecord& block, std::span<const WindowRecord> windows) {
  Mean switched, others, to_candidate, to_control;
  for (const WindowRecord& window : windows) {
    if (!window.first_half || !window.second_half) continue;
    if (!(*window.first_half > 0) || !(*window.second_half > 0)) continue;
    const double drift = std::log(*window.first_half / *window.second_half);
    (window.switched ? switched : others).add(drift);
    if (window.switched) (window.arm == block.candidate ? to_candidate : to_control).add(drift);
  }
  if (switched.count > 0 && others.count > 0) cold_.add(switched.value() - others.value());
  if (to_candidate.count > 0 && to_control.count > 0) carried_.add(to_candidate.value() - to_control.value());
}

bool WashoutCheck::found(const ConfidenceSequence& drift) const {
  const std::optional<Interval> interval = drift.interval(kAlpha);
  return interval && (interval->low > 0 || interval->high < 0) &&
         std::abs(drift.mean()) >= smallest_effect_ / 2;
}

bool WashoutCheck::too_short() const {
  return found(cold_) || found(carried_);
}

WashoutReport WashoutCheck::report(double seconds) const {
  WashoutReport report;
  report.seconds = seconds;
  report.too_short = too_short();
  if (cold_.count() == 0 && carried_.count() == 0) {
    report.text = "not checked: the primary metric has no halves of a window";
    return report;
  }
  const bool carried = cold_.count() == 0 || (found(carried_) && !found(cold_));
  const ConfidenceSequence& drift = carried ? carried_ : cold_;
  report.drift = std::expm1(drift.mean());
  const std::string shift = "the first half of a window after a switch is " + format_change(*report.drift) +
                            (carried ? " nearer to the arm before" : " off the second") + " in " +
                            counted(drift.count(), "block");
  report.text = report.too_short ? "too short: " + shift : "long enough: " + shift;
  return report;
}

std::optional<double> time_constant(std::span<const StepSample> response) {
  if (response.size() < kLeastSamples) return std::nullopt;
  const std::span<const StepSample> end = response.last(response.size() / 3);
  ConfidenceSequence settled;
  for (const StepSample& sample : end) settled.add(sample.value);
  const double change = settled.mean() - response.front().value;
  if (std::abs(change) <= 2 * settled.deviation()) return std::nullopt;
  const auto done = std::find_if(response.begin(), response.end(), [&](const StepSample& sample) {
    return (sample.value - response.front().value) / change >= 1 - std::exp(-1.0);
  });
  return done->seconds - response.front().seconds;
}

double washout_for(double time_constant) {
  return std::max(kLeastWashout, kTimeConstants * time_constant);
}

}  // namespace bulkhead
