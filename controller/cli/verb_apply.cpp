// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/live_plan.h"
#include "controller/cli/policy_input.h"
#include "controller/cli/steps_text.h"
#include "controller/cli/transaction_run.h"

namespace bulkhead {
namespace {

// The state outlives the directory that the program was called in.
std::string absolute(const std::string& file) {
  const std::unique_ptr<char, decltype(&std::free)> path(::realpath(file.c_str(), nullptr), &std::free);
  return path ? path.get() : file;
}

void require_writable(LiveHost& host, const std::vector<Step>& steps) {
  const bool writes =
      std::any_of(steps.begin(), steps.end(), [](const Step& step) { return is_resctrl(step.kind); });
  if (writes && host.presence().read_only) throw Error(ErrorCode::unsupported, host.presence().explanation);
}

std::string text_of(const Outcome& outcome) {
  if (outcome.steps.empty()) return "already as planned: nothing was written\n";
  return outcome.policy + " is in force: " + counted(outcome.steps.size(), "step") + ", generation " +
         std::to_string(outcome.generation) + '\n';
}

nlohmann::ordered_json to_json(const Outcome& outcome, const LivePlan& plan) {
  nlohmann::ordered_json wanted = live_plan_json(plan);
  wanted.erase("steps");
  return {{"policy", outcome.policy},          {"generation", outcome.generation},
          {"changed", !outcome.steps.empty()}, {"steps", steps_json(outcome.steps)},
          {"waiting", outcome.waiting},        {"notes", outcome.notes},
          {"plan", std::move(wanted)}};
}

}  // namespace

int run_apply(Call& call) {
  if (call.options.dry_run) return run_plan(call);
  require_consent_possible(call);
  std::optional<PolicyInput> input = read_policy_input(call);
  if (!input) return exit_status(ErrorCode::invalid);
  LiveHost host(call.options, call.options.mount, wants_cdp(input->policy));
  if (host.mounted_by_us()) call.console.notice("mounted resctrl on " + host.presence().mount_point);
  host.finish_interrupted(call.console);
  const LivePlan plan = propose_live(host, input->source);
  const std::vector<Step>& steps = plan.proposal.diff.steps;
  require_writable(host, steps);
  if (!call.options.json) {
    call.console.out += live_plan_text(plan, host, call.style()) + '\n';
    if (!steps.empty() && !consents(call, "Apply?")) {
      call.console.notice("nothing was changed");
      return 0;
    }
    show_before_change(call);
  }
  call.console.hold_signals();
  if (call.arguments.front() != "-") input->source.file = absolute(input->source.file);
  const Outcome outcome =
      run_transaction("applying " + plan.proposal.plan.policy,
                      [&](const Progress& progress) { return host.engine().apply(input->source, progress); });
  call.console.happened = outcome.policy + " is in force";
  call.console.out += call.options.json ? json_text(to_json(outcome, plan))
                                        : text_of(outcome) + notes_text(outcome.notes, call.style());
  return 0;
}

}  // namespace bulkhead
