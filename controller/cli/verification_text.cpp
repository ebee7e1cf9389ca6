// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/verification_text.h"

#include <nlohmann/json.hpp>

#include "controller/base/text.h"

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

}  // namespace

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

}  // namespace bulkhead
