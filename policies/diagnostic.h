// SPDX-License-Identifier: Apache-2.0
// What is wrong with a document, and where. Diagnostics are values: all of them are collected in one run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "controller/base/error.h"

namespace bulkhead {

// Where a value stands in its document.
struct Place {
  std::size_t line = 0;    // from 1; 0 is nowhere
  std::size_t column = 0;  // from 1, in bytes
  std::string pointer;     // JSON pointer (RFC 6901), empty for the whole document
};

struct Diagnostic {
  Place place;
  std::string message;  // what is wrong, then what would be right: one line, no full stop
};

// "file:line:column: /pointer: message", a line each.
std::string render(const std::string& file, const std::vector<Diagnostic>& diagnostics);

// Error(invalid) with the first one's place and message, naming how many more there are. There is at least
// one.
Error as_error(const std::string& file, const std::vector<Diagnostic>& diagnostics);

}  // namespace bulkhead
