// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/cli/json_text.h"
#include "controller/cli/live_plan.h"
#include "controller/cli/plan_report.h"
#include "controller/cli/policy_input.h"
#include "controller/cli/transaction_run.h"
#include "controller/engine/documents.h"
#include "controller/planner/plan_json.h"
#include "controller/topology/machine_file.h"

namespace bulkhead {
namespace {

Plan plan_for(const PolicyInput& input, const Host& host) {
  try {
    return make_plan(input.policy, host.machine, host.capabilities);
  } catch (Error& error) {
    const ErrorDetail& detail = error.detail();
    if (detail.line != 0) error.set_place(input.source.file, detail.line, detail.column, detail.pointer);
    throw;
  }
}

int plan_machine(Call& call, const PolicyInput& input) {
  Host host = load_machine(call.options.machine);
  if (call.options.ccd_bandwidth != 0) host.capabilities.ccd_bandwidth = call.options.ccd_bandwidth;
  const Plan plan = plan_for(input, host);
  if (call.options.json) {
    call.console.out += json_text(to_json(plan, "resctrl", {}));
  } else {
    call.console.out += plan_report(plan, host.machine, host.capabilities, {}, {}, call.style());
  }
  return 0;
}

}  // namespace

int run_plan(Call& call) {
  const std::optional<PolicyInput> input = read_policy_input(call);
  if (!input) return exit_status(ErrorCode::invalid);
  if (!call.options.machine.empty()) return plan_machine(call, *input);
  LiveHost host(live_host_options(call.options));
  const Proposal proposal = host.propose(input->source);
  call.console.out += call.options.json ? json_text(proposal_json(proposal))
                                        : live_plan_text(proposal, host.machine(), call.style());
  return 0;
}

}  // namespace bulkhead
