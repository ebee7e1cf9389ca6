// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_report.h"

#include "controller/base/text.h"
#include "controller/cli/table.h"
#include "controller/experiment/change_text.h"

namespace bulkhead {
namespace {

std::string limit_text(const std::optional<double>& limit) {
  return limit ? format_change(*limit) : "-";
}

// What was measured, in its order; the one that was chosen is marked.
std::string search_report(const ExperimentResult& result, const Style& style) {
  const SearchResult& search = *result.search;
  Table table({"", "combination", result.primary, search.latency});
  for (const Evaluation& evaluation : search.evaluations) {
    const std::string latency = evaluation.latency ? format_number(*evaluation.latency) : "-";
    const bool beyond =
        evaluation.failed || (evaluation.latency && *evaluation.latency > search.latency_limit);
    table.add({evaluation.point == search.found ? "*" : "", evaluation.point,
               evaluation.change ? format_change(*evaluation.change) : "-",
               latency + (beyond ? " too much" : "")});
  }
  std::string text = table.draw(style) + '\n';
  text += wrapped(counted(search.evaluations.size(), "combination") + " of " +
                      std::to_string(search.combinations) + " measured, a block each; " + search.latency +
                      " is to stay within " + format_number(search.latency_limit) +
                      (search.found.empty() ? "" : "; * is the one that is compared"),
                  style.width, "") +
          "\n\n";
  return text;
}

std::string remarks_text(const ExperimentResult& result, const Style& style) {
  std::string text;
  for (const Remark& remark : result.remarks)
    text += "note: " + wrapped(remark.text, style.width - 6, "      ") + '\n';
  return text;
}

}  // namespace

std::string report_text(const ExperimentResult& result, const Style& style) {
  std::string text = wrapped(result.verdict, style.width, "") + "\n\n";
  if (result.search) text += search_report(result, style);
  if (result.candidates.empty()) return text + remarks_text(result, style);
  Table table({"arm", "metric", "blocks", "change", "low", "high"});
  for (const ArmResult& arm : result.candidates) {
    for (const Estimate& estimate : arm.estimates) {
      table.add({arm.arm, estimate.metric, std::to_string(estimate.blocks), format_change(estimate.change),
                 limit_text(estimate.low), limit_text(estimate.high)});
    }
  }
  text += table.draw(style) + '\n';
  for (const ArmResult& arm : result.candidates) {
    text += wrapped(arm.arm + ": " + arm.reason, style.width, "  ") + '\n';
  }
  return text + remarks_text(result, style);
}

}  // namespace bulkhead
