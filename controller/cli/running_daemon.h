// SPDX-License-Identifier: Apache-2.0
// The daemon that keeps this host, where one runs: then it is the one who does what was asked for.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "controller/api/client.h"
#include "controller/cli/verbs.h"

namespace bulkhead {

// Of the runtime directory in the options. Nothing if none runs; throws Error(permission) if it does not
// serve us.
std::optional<Client> running_daemon(const Options& options);

// The parameters that make the daemon refuse if the policy was changed since `status` was asked for.
nlohmann::ordered_json expecting_generation(Client& daemon);

// The daemon's actuator, which its configuration names. Throws Error(conflict) where another one was `asked`
// for.
std::string actuator_of(Client& daemon, const std::string& asked);

}  // namespace bulkhead
