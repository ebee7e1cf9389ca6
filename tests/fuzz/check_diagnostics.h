// SPDX-License-Identifier: Apache-2.0
// What holds for the diagnostics of any text in one of our languages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "policies/diagnostic_list.h"

namespace bulkhead::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// A bounded list, in the text's order and inside it.
inline void check_diagnostics(std::string_view text, const std::vector<Diagnostic>& diagnostics) {
  require(diagnostics.size() <= kMostDiagnostics + 1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  std::size_t line_before = 0;
  for (const auto& [place, message] : diagnostics) {
    require(!message.empty() && message.size() < 1024);
    const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
    require(std::ranges::none_of(message, is_control));
    if (place.line == 0) continue;  // the count of those not shown
    require(place.line >= line_before && place.line <= lines);
    require(place.column >= 1 && place.column <= text.size() + 1);
    line_before = place.line;
  }
}

}  // namespace bulkhead::fuzz
