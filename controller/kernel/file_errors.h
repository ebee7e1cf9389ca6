// SPDX-License-Identifier: Apache-2.0
// What refused file operations say, for every implementation of the gateway alike.
#pragma once

#include <string>
#include <string_view>

#include "controller/base/error.h"

namespace bulkhead::file_errors {

Error cannot_write(int error_number, std::string_view text, const std::string& path);
Error lock_is_held(const std::string& holder, int patience_ms, const std::string& path);

// One line of what was written, for a message.
std::string shown(std::string_view text);

}  // namespace bulkhead::file_errors
