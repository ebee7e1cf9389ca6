// SPDX-License-Identifier: Apache-2.0
// The parameters of a call, as the table of methods wants them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "controller/api/methods.h"

namespace bulkhead {

// An object, by name, whether they came by name or by position. Throws Error(usage).
nlohmann::json named_parameters(const Method& method, nlohmann::json params);

}  // namespace bulkhead
