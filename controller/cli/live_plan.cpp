// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/live_plan.h"

#include "controller/cli/plan_report.h"
#include "controller/cli/steps_text.h"

namespace bulkhead {

std::string live_plan_text(const Proposal& proposal, const Machine& machine, const Style& style) {
  std::vector<EffectNow> now;
  for (const ServiceEffect& service : proposal.plan.services) {
    now.push_back(effect_now(service, proposal.plan, proposal.now, proposal.capabilities));
  }
  std::string text =
      plan_report(proposal.plan, machine, proposal.capabilities, now, proposal.diff.waiting, style);
  text += '\n';
  if (proposal.diff.steps.empty()) return text + "already as planned: nothing to do\n";
  return text + paint(style, Paint::bold, "changes") + '\n' + steps_text(proposal.diff.steps, style);
}

}  // namespace bulkhead
