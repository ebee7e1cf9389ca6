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

}  // namespace bulkhead
