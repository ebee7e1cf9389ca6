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
#include "controller/cli/running_daemon.h"
#include "controller/cli/transaction_run.h"
#include "controller/engine/documents.h"

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

using Json = nlohmann::ordered_json;

std::string applied_text(const Json& applied, const Style& style) {
  const std::string notes = notes_text(applied.at("notes").get<std::vector<std::string>>(), style);
  if (!applied.at("changed").get<bool>()) return "already as planned: nothing was written\n" + notes;
  return applied.at("policy").get<std::string>() +
         " is in force: " + counted(applied.at("steps").size(), "step") + ", generation " +
         applied.at("generation").dump() + '\n' + notes;
}

Json apply_by(Client& daemon, const PolicySource& source, Json parameters) {
  parameters["text"] = source.text;
  parameters["name"] = source.file;
  return daemon.call("policy.apply", parameters);
}

Json apply_here(LiveHost& host, const PolicySource& source, const Proposal& proposal) {
  const Outcome outcome = run_transaction("applying " + proposal.plan.policy, [&](const Progress& progress) {
    return host.engine().apply(source, progress);
  });
  return applied_json(outcome, &proposal);
}

}  // namespace

int run_apply(Call& call) {
  if (call.options.dry_run) return run_plan(call);
  require_consent_possible(call);
  std::optional<PolicyInput> input = read_policy_input(call);
  if (!input) return exit_status(ErrorCode::invalid);
  std::optional<Client> daemon = running_daemon(call.options);
  const Json expecting = daemon ? expecting_generation(*daemon) : Json();
  if (daemon) call.options.actuator = actuator_of(*daemon, call.options.actuator);
  if (call.options.mount && call.options.actuator == "pqos-msr") {
    throw Error(ErrorCode::usage, "--mount mounts resctrl, which --actuator pqos-msr goes without");
  }
  LiveHostOptions options = live_host_options(call.options);
  options.mount = call.options.mount;
  options.cdp = wants_cdp(input->policy);
  LiveHost host(options);
  if (host.mounted_by_us()) call.console.notice("mounted resctrl on " + host.presence().mount_point);
  if (!daemon) finish_interrupted(host, call.console);
  const Proposal proposal = host.propose(input->source);
  require_writable(host, proposal.diff.steps);
  if (!call.options.json) {
    call.console.out += live_plan_text(proposal, host.machine(), call.style()) + '\n';
    if (!proposal.diff.steps.empty() && !consents(call, "Apply?")) {
      call.console.notice("nothing was changed");
      return 0;
    }
    show_before_change(call);
  }
  call.console.hold_signals();
  if (call.arguments.front() != "-") input->source.file = absolute(input->source.file);
  const Json applied =
      daemon ? apply_by(*daemon, input->source, expecting) : apply_here(host, input->source, proposal);
  call.console.happened = proposal.plan.policy + " is in force";
  call.console.out += call.options.json ? json_text(applied) : applied_text(applied, call.style());
  return 0;
}

}  // namespace bulkhead
