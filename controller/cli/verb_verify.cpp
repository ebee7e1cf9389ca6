// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/transaction_run.h"
#include "controller/engine/documents.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

std::string holds_text(const Json& result) {
  const auto extent = [&](const char* what, const char* noun) {
    return counted(result.at("looked_at").at(what).get<std::size_t>(), noun);
  };
  return result.at("policy").get<std::string>() + " holds: " + extent("groups", "group") + " on " +
         extent("ccds", "CCD") + ", " + extent("cpusets", "cpuset") + ", " + extent("threads", "thread") +
         " of " + extent("services", "service") + '\n';
}

std::string verification_text(const Json& result, const Style& style) {
  const Json& findings = result.at("findings");
  std::string text = findings.empty() ? holds_text(result)
                                      : result.at("policy").get<std::string>() +
                                            " does not hold: " + counted(findings.size(), "finding") + '\n';
  for (const Json& finding : findings) {
    text += "  - " + wrapped(finding.at("message").get<std::string>(), style.width - 4, "    ") + '\n';
  }
  for (const Json& service : result.at("waiting")) {
    text += service.get<std::string>() + " is waiting: nothing that it selects is there now\n";
  }
  return text;
}

Json verify_here(Call& call) {
  LiveHost host(live_host_options(call.options));
  finish_interrupted(host, call.console, true);
  return verification_json(host.engine().verify());
}

}  // namespace

int run_verify(Call& call) {
  std::optional<Client> daemon = running_daemon(call.options);
  const Json result = daemon ? daemon->call("state.verify", Json::object()) : verify_here(call);
  call.console.out += call.options.json ? json_text(result) : verification_text(result, call.style());
  return result.at("holds").get<bool>() ? 0 : exit_status(ErrorCode::drift);
}

}  // namespace bulkhead
