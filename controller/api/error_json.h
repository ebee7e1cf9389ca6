// SPDX-License-Identifier: Apache-2.0
// An error as the JSON object that programs get, here and wherever else an error is told to a program.
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

}  // namespace bulkhead
