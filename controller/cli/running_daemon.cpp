// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/running_daemon.h"

#include <nlohmann/json.hpp>

#include "controller/kernel/paths.h"

namespace bulkhead {

std::optional<Client> running_daemon(const Options& options) {
  return Client::connect(paths::socket_in(options.runtime_dir));
}

nlohmann::ordered_json expecting_generation(Client& daemon) {
  const nlohmann::ordered_json active = daemon.call("policy.active", nlohmann::ordered_json::object());
  return {{"if_generation", active.at("generation")}};
}

}  // namespace bulkhead
