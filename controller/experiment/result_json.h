// SPDX-License-Identifier: Apache-2.0
// The JSON of an experiment's result: a contract, described by
// controller/experiment/experiment-result.schema.json. It holds all of it, and numbers survive the way there
// and back to the last bit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "controller/experiment/result.h"

namespace bulkhead {

nlohmann::ordered_json result_json(const ExperimentResult& result);

// The same as text, on one line. Bytes that are no UTF-8 are replaced.
std::string result_text(const ExperimentResult& result);

// Strict: throws Error(invalid) that names the first value that is missing, unknown or of a wrong type by its
// JSON pointer.
ExperimentResult parse_result(std::string_view text, const std::string& file);

std::string_view to_string(ArmVerdict verdict);  // as in the JSON, "failed_safe"

}  // namespace bulkhead
