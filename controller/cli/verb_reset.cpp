// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/steps_text.h"
#include "controller/cli/transaction_run.h"
#include "controller/engine/documents.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

std::string reset_text(const Json& reset, const Style& style) {
  const std::string notes = notes_text(reset.at("notes").get<std::vector<std::string>>(), style);
  if (!reset.at("changed").get<bool>())
    return "already as before the first apply: nothing was written\n" + notes;
  return "as before the first apply: " + counted(reset.at("steps").size(), "step") + '\n' + notes;
}

Json reset_here(LiveHost& host) {
  return reset_json(
      run_transaction("resetting", [&](const Progress& progress) { return host.engine().reset(progress); }));
}

// What the daemon would do can be read by root only; others ask without a preview.
std::vector<Step> steps_to_show(LiveHost& host, bool daemon) {
  try {
    return host.engine().propose_reset().steps;
  } catch (const Error& error) {
    if (!daemon || error.code() != ErrorCode::permission) throw;
    return {};
  }
}

}  // namespace

int run_reset(Call& call) {
  require_consent_possible(call);
  std::optional<Client> daemon = running_daemon(call.options);
  const Json expecting = daemon ? expecting_generation(*daemon) : Json();
  LiveHost host(live_host_options(call.options));
  if (!daemon) finish_interrupted(host, call.console);
  const std::vector<Step> steps = steps_to_show(host, daemon.has_value());
  if (!call.options.json && (!steps.empty() || daemon)) {
    if (!steps.empty()) {
      call.console.out +=
          paint(call.style(), Paint::bold, "changes") + '\n' + steps_text(steps, call.style()) + '\n';
    }
    if (!consents(call, "Reset?")) {
      call.console.notice("nothing was changed");
      return 0;
    }
    show_before_change(call);
  }
  call.console.hold_signals();
  const Json reset = daemon ? daemon->call("policy.reset", expecting) : reset_here(host);
  call.console.happened = "the host is as before the first apply";
  call.console.out += call.options.json ? json_text(reset) : reset_text(reset, call.style());
  return 0;
}

}  // namespace bulkhead
