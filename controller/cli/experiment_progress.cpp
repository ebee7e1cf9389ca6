// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_progress.h"

#include <algorithm>
#include <cmath>

#include "controller/base/text.h"
#include "controller/experiment/change_text.h"

namespace bulkhead {
namespace {

// "+14.9 % (+9.1 % to +21.0 %)"
std::string estimate_text(const Estimate& estimate) {
  const auto limit = [](const std::optional<double>& value) {
    return value ? format_change(*value) : std::string("?");
  };
  if (!estimate.change) return "no data";
  return format_change(*estimate.change) + " (" + limit(estimate.low) + " to " + limit(estimate.high) + ')';
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1) return std::to_string(std::llround(seconds * 1000)) + " ms";
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (seconds < 10)
    return std::to_string(std::llround(seconds * 10) / 10) + '.' +
           std::to_string(std::llround(seconds * 10) % 10) + " s";
  if (whole < 120) return std::to_string(whole) + " s";
  const long long minutes = (whole + 30) / 60;
  if (minutes < 120) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

namespace {

// "search 3 of 15, at most 12 min left": what the next combination is worth nobody knows yet.
std::string search_progress_text(const RunProgress& progress) {
  std::string text =
      "search " + std::to_string(progress.block) + " of " + std::to_string(progress.most_blocks);
  if (progress.step == RunProgress::Step::block && progress.result->search) {
    const Evaluation& last = progress.result->search->evaluations.back();
    text += ", " + last.point + ": " + (last.change ? format_change(*last.change) : "no data");
  }
  return text + ", at most " + time_text(progress.seconds_left) + " left";
}

}  // namespace

std::string progress_text(const RunProgress& progress) {
  if (progress.searches) return search_progress_text(progress);
  std::string text =
      "block " + std::to_string(progress.block) + " of at most " + std::to_string(progress.most_blocks);
  const auto found = std::ranges::find(progress.result->candidates, progress.candidate, &ArmResult::arm);
  text += ", " + progress.candidate;
  if (found != progress.result->candidates.end() && !found->estimates.empty() && found->blocks > 0) {
    text += ": " + estimate_text(found->estimates.front());
  }
  return text + ", at most " + time_text(progress.seconds_left) + " left";
}

}  // namespace bulkhead
