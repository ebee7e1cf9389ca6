// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/table.h"
#include "controller/cli/transaction_run.h"
#include "controller/engine/documents.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

std::string or_dash(const Json& text) {
  const std::string word = text.get<std::string>();
  return word.empty() ? "-" : word;
}

std::string threads_text(const Json& service) {
  if (service.at("waiting").get<bool>()) return "waiting";
  return service.at("threads").is_null() ? "-" : service.at("threads").dump();
}

std::string status_text(const Json& status, const Style& style) {
  const auto drift = status.at("drift").get<std::size_t>();
  std::string text = "policy    " + paint(style, Paint::bold, status.at("policy").get<std::string>()) + '\n';
  text += "file      " + printable(status.at("file").get<std::string>()) + '\n';
  text += "since     " + status.at("since").get<std::string>() + ", generation " +
          status.at("generation").dump() + '\n';
  text += "drift     " +
          (drift == 0 ? paint(style, Paint::good, "none")
                      : paint(style, Paint::bad, counted(drift, "finding") + ", see bulkhead verify"));
  text += '\n';
  if (status.at("services").empty()) return text;
  text += '\n';
  Table table({"service", "group", "CPUs", "L3", "bandwidth", "threads"});
  for (const Json& service : status.at("services")) {
    const std::string group = service.at("group").get<std::string>();
    const Json& now = service.at("effective");
    table.add({service.at("service").get<std::string>(), group.empty() ? "(default)" : group,
               or_dash(now.at("cpus")), or_dash(now.at("l3")), or_dash(now.at("bandwidth")),
               threads_text(service)});
  }
  return text + table.draw(style);
}

std::string nothing_in_force(const Json& status, const Style& style) {
  std::string text = "no policy is in force\n";
  const auto leftovers = status.at("leftovers").get<std::vector<std::string>>();
  if (leftovers.empty()) return text;
  const std::string note =
      "but these are ours, and nothing in this --runtime-dir remembers what they belong to: " +
      join(leftovers, ", ") +
      ". Unless a bulkhead with another --runtime-dir has them, bulkhead reset removes them; CPUs and ways "
      "that were taken from others stay "
      "as they are, for an operator to give back";
  return text + wrapped(note, style.width, "") + '\n';
}

std::string trouble_text(const Json& status, const Style& style) {
  if (!status.contains("trouble")) return {};
  return hanging("trouble: " + status.at("trouble").get<std::string>(), style.width) + '\n';
}

Json status_here(Call& call) {
  LiveHost host(live_host_options(call.options));
  finish_interrupted(host, call.console, true);
  const State state = host.engine().state();
  if (state.policy_text.empty()) return no_status_json(host.engine().leftovers());
  return status_json(state, host.engine().verify());
}

}  // namespace

int run_status(Call& call) {
  std::optional<Client> daemon = running_daemon(call.options);
  const Json status = daemon ? daemon->call("state.status", {{"fresh", true}}) : status_here(call);
  if (call.options.json) {
    call.console.out += json_text(status);
  } else {
    call.console.out += status.at("policy").is_null() ? nothing_in_force(status, call.style())
                                                      : status_text(status, call.style());
    call.console.out += trouble_text(status, call.style());
  }
  return 0;
}

}  // namespace bulkhead
