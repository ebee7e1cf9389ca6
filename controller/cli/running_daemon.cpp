// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/running_daemon.h"

#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/kernel/paths.h"

namespace bulkhead {

std::optional<Client> running_daemon(const Options& options) {
  std::optional<Client> daemon = Client::connect(paths::socket_in(options.runtime_dir));
  if (daemon && options.timeout.count() > 0) daemon->set_patience(options.timeout);
  return daemon;
}

nlohmann::ordered_json expecting_generation(Client& daemon) {
  const nlohmann::ordered_json active = daemon.call("policy.active", nlohmann::ordered_json::object());
  return {{"if_generation", active.at("generation")}};
}

std::string actuator_of(Client& daemon, const std::string& asked) {
  const auto actuator =
      daemon.call("host.describe", nlohmann::ordered_json::object()).at("actuator").get<std::string>();
  if (asked == "auto" || asked == actuator) return actuator;
  throw Error(ErrorCode::conflict, "the daemon that runs writes through " + actuator + ", not " + asked +
                                       ": its configuration says what it uses (\"actuator\")");
}

}  // namespace bulkhead
