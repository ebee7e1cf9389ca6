// SPDX-License-Identifier: Apache-2.0
// An error as the JSON object that programs get, from the command line and from the API, and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "controller/base/error.h"

namespace bulkhead {

// What helps against errors of that kind, whatever they are about; empty if nothing is known.
std::string_view remedy_for(ErrorCode code);

// Always all of "code", "message", "remedy", "file", "line", "column", "pointer", "path", "errno",
// "kernel_status" and "context"; what does not apply is null.
nlohmann::ordered_json error_json(const ErrorDetail& error);

// The error that such an object tells of. What is missing or of another type does not apply; a code that is
// not known is internal.
ErrorDetail error_detail(const nlohmann::ordered_json& object);

}  // namespace bulkhead
