// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "policies/diagnostic.h"

namespace bulkhead {

// A list of {"file", "line", "column", "pointer", "message"}.
nlohmann::ordered_json diagnostics_json(const std::string& file, const std::vector<Diagnostic>& diagnostics);

}  // namespace bulkhead
