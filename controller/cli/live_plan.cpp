// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/live_plan.h"

#include <nlohmann/json.hpp>

#include "controller/cli/plan_report.h"
#include "controller/cli/steps_text.h"
#include "controller/planner/plan_json.h"

namespace bulkhead {

LivePlan propose_live(LiveHost& host, const PolicySource& source) {
  bool unread_state = false;
  LivePlan plan{.proposal = host.propose(source, unread_state)};
  if (unread_state) {
    plan.proposal.plan.notes.push_back(
        "what an earlier apply changed may only be read by root: the changes are those from the host as it "
        "is");
  }
  return plan;
}

std::string live_plan_text(const LivePlan& plan, const LiveHost& host, const Style& style) {
  const Proposal& proposal = plan.proposal;
  std::vector<EffectNow> now;
  for (const ServiceEffect& service : proposal.plan.services) {
    now.push_back(effect_now(service, proposal.plan, proposal.now, proposal.capabilities));
  }
  std::string text =
      plan_report(proposal.plan, host.machine(), proposal.capabilities, now, proposal.diff.waiting, style);
  text += '\n';
  if (proposal.diff.steps.empty()) return text + "already as planned: nothing to do\n";
  return text + paint(style, Paint::bold, "changes") + '\n' + steps_text(proposal.diff.steps, style);
}

nlohmann::ordered_json live_plan_json(const LivePlan& plan) {
  nlohmann::ordered_json document = to_json(plan.proposal.plan, "resctrl", plan.proposal.diff.waiting);
  document["steps"] = steps_json(plan.proposal.diff.steps);
  return document;
}

}  // namespace bulkhead
