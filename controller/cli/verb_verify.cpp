// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/cli/json_text.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/transaction_run.h"
#include "controller/cli/verification_text.h"
#include "controller/engine/documents.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

Json verify_here(Call& call) {
  LiveHost host(live_host_options(call.options));
  finish_interrupted(host, call.console, true);
  return verification_json(host.engine().verify());
}

}  // namespace

int run_verify(Call& call) {
  if (call.options.duration.count() > 0) return run_verify_for(call);
  std::optional<Client> daemon = running_daemon(call.options);
  const Json result = daemon ? daemon->call("state.verify", Json::object()) : verify_here(call);
  call.console.out += call.options.json ? json_text(result) : verification_text(result, call.style());
  return result.at("holds").get<bool>() ? 0 : exit_status(ErrorCode::drift);
}

}  // namespace bulkhead
