// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_report.h"

#include "controller/base/text.h"
#include "controller/cli/table.h"
#include "controller/experiment/change_text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kDroppedShown = 6;

std::string limit_text(const std::optional<double>& limit) {
  return limit ? format_change(*limit) : "-";
}

// What became of a combination besides its numbers.
std::string outcome_text(const SearchResult& search, const Evaluation& evaluation) {
  if (evaluation.failed || (evaluation.latency && *evaluation.latency > search.latency_limit))
    return "too much";
  if (!evaluation.change) return "no data";
  return evaluation.point == search.found ? "compared" : "";
}

std::string search_text(const ExperimentResult& result, const Style& style) {
  const SearchResult& search = *result.search;
  Table table({"combination", result.primary, search.latency, ""});
  for (const Evaluation& evaluation : search.evaluations) {
    table.add({evaluation.point, evaluation.change ? format_change(*evaluation.change) : "-",
               evaluation.latency ? format_number(*evaluation.latency) : "-",
               outcome_text(search, evaluation)});
  }
  const std::string measured = counted(search.evaluations.size(), "combination") + " of " +
                               std::to_string(search.combinations) + " measured, a block each; " +
                               search.latency + " is to stay within " + format_number(search.latency_limit);
  return table.draw(style) + '\n' + wrapped(measured, style.width, "") + "\n\n";
}

// "throughput", or of blocks of one load only "throughput, load 0.5 to 0.8".
std::string metric_text(const std::string& metric, const BandEstimate* band) {
  if (band == nullptr) return metric;
  if (!band->from) return metric + ", load below " + format_number(band->to.value_or(0));
  if (!band->to) return metric + ", load from " + format_number(*band->from);
  return metric + ", load " + format_number(*band->from) + " to " + format_number(*band->to);
}

std::string effects_text(const ExperimentResult& result, const Style& style) {
  if (result.candidates.empty()) return "";
  Table table({"arm", "metric", "blocks", "change", "low", "high"});
  const auto add = [&](const ArmResult& arm, const Estimate& estimate, const BandEstimate* band) {
    table.add({arm.arm, metric_text(estimate.metric, band), std::to_string(estimate.blocks),
               estimate.change ? format_change(*estimate.change) : "-",
               limit_text(estimate.change ? estimate.low : std::nullopt),
               limit_text(estimate.change ? estimate.high : std::nullopt)});
  };
  for (const ArmResult& arm : result.candidates) {
    for (const Estimate& estimate : arm.estimates) add(arm, estimate, nullptr);
    for (const BandEstimate& band : arm.bands) add(arm, band.estimate, &band);
  }
  std::string text = table.draw(style) + '\n';
  for (const ArmResult& arm : result.candidates) {
    text += hanging(arm.arm + ": " + arm.reason, style.width) + '\n';
  }
  return text;
}

std::string dropped_text(const ExperimentResult& result, const Style& style) {
  std::string text;
  std::size_t dropped = 0;
  for (const BlockRecord& block : result.blocks) {
    if (block.dropped.empty() || ++dropped > kDroppedShown) continue;
    text +=
        hanging("block " + std::to_string(block.number) + " does not count: " + block.dropped, style.width) +
        '\n';
  }
  if (dropped > kDroppedShown)
    text += "and " + std::to_string(dropped - kDroppedShown) + " more blocks; the result has them all\n";
  return text;
}

std::string notes_text(const ExperimentResult& result, const Style& style) {
  std::string text;
  const auto note = [&](const std::string& words) {
    constexpr int kLabel = 6;
    text += "note: " + wrapped(words, style.width - kLabel, std::string(kLabel, ' ')) + '\n';
  };
  if (result.washout.too_short) note("the washout was too short: " + result.washout.text);
  for (const Remark& remark : result.remarks) note(remark.text);
  return text;
}

}  // namespace

std::string report_text(const ExperimentResult& result, const Style& style) {
  return wrapped(result.verdict, style.width, "") + "\n\n" +
         (result.search ? search_text(result, style) : "") + effects_text(result, style) +
         dropped_text(result, style) + notes_text(result, style);
}

}  // namespace bulkhead
