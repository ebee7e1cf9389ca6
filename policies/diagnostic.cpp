// SPDX-License-Identifier: Apache-2.0
#include "policies/diagnostic.h"

#include "policies/quote.h"

namespace bulkhead {

std::string render(const std::string& file, const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const auto& [place, message] : diagnostics) {
    text += printable(file) + ':';
    if (place.line != 0) text += std::to_string(place.line) + ':' + std::to_string(place.column) + ':';
    if (!place.pointer.empty()) text += ' ' + printable(place.pointer) + ':';
    text += ' ' + message + '\n';
  }
  return text;
}

Error as_error(const std::string& file, const std::vector<Diagnostic>& diagnostics) {
  const auto& [place, message] = diagnostics.front();
  const std::size_t more = diagnostics.size() - 1;
  Error error(ErrorCode::invalid, more == 0 ? message : message + " (and " + std::to_string(more) + " more)");
  return error.set_place(file, place.line, place.column, place.pointer);
}

}  // namespace bulkhead
