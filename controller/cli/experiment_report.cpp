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

}  // namespace

std::string report_text(const ExperimentResult& result, const Style& style) {
  std::string text = wrapped(result.verdict, style.width, "") + "\n\n";
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
  for (const Remark& remark : result.remarks)
    text += "note: " + wrapped(remark.text, style.width - 6, "      ") + '\n';
  return text;
}

}  // namespace bulkhead
