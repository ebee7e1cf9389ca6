// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bulkhead {

// A document's whole text. Throws Error with the path and errno.
std::string read_text_file(const std::string& path);

}  // namespace bulkhead
