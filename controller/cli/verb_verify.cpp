// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/live_host.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Verification& result) {
  Json findings = Json::array();
  for (const Finding& finding : result.findings) {
    findings.push_back({{"kind", finding.kind},
                        {"service", finding.service.empty() ? Json() : Json(finding.service)},
                        {"ccd", finding.ccd ? Json(finding.ccd->value) : Json()},
                        {"expected", finding.expected},
                        {"observed", finding.observed},
                        {"message", finding.message}});
  }
  return {{"holds", result.findings.empty()},
          {"policy", result.policy},
          {"findings", findings},
          {"waiting", result.waiting}};
}

// What was looked at, so that "holds" says what of.
std::string holds_text(const Verification& result, const Machine& machine) {
  std::size_t threads = 0;
  for (const ObservedService& service : result.now.services) threads += service.thread_groups.size();
  return result.policy + " holds: " + counted(result.plan.groups.size(), "group") + " on " +
         counted(machine.ccds.size(), "CCD") + ", " + counted(result.plan.cpusets.size(), "cpuset") + ", " +
         counted(threads, "thread") + " of " + counted(result.plan.services.size(), "service") + '\n';
}

}  // namespace

int run_verify(Call& call) {
  LiveHost host(call.options);
  host.finish_interrupted(call.console, true);
  const Verification result = host.engine().verify();
  std::string& out = call.console.out;
  if (call.options.json) {
    out += json_text(to_json(result));
  } else if (result.findings.empty()) {
    out += holds_text(result, host.machine());
  } else {
    out += result.policy + " does not hold: " + counted(result.findings.size(), "finding") + '\n';
    for (const Finding& finding : result.findings) {
      out += "  - " + wrapped(finding.message, call.style().width - 4, "    ") + '\n';
    }
  }
  if (!call.options.json) {
    for (const std::string& service : result.waiting)
      out += service + " is waiting: nothing that it selects is there now\n";
  }
  return result.findings.empty() ? 0 : exit_status(ErrorCode::drift);
}

}  // namespace bulkhead
