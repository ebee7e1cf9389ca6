// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bulkhead {

// A result as a program gets it: one document, indented, with a newline at its end. Bytes from the kernel
// that are no UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& document);

// The same on one line, as one of many.
std::string json_line(const nlohmann::ordered_json& document);

}  // namespace bulkhead
