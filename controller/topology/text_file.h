// SPDX-License-Identifier: Apache-2.0
// Documents as files.
#pragma once

#include <string>
#include <string_view>

#include "controller/base/unique_fd.h"

namespace bulkhead {

// Opens a document to be read. Only regular files are: a pipe or a device may block, or never end. Throws
// Error with the path and errno, or Error(invalid) that says what the path is instead of what is `right`.
UniqueFd open_document(const std::string& path, std::string_view right = "a regular file");

// A document's whole text. Throws Error likewise.
std::string read_text_file(const std::string& path);

}  // namespace bulkhead
