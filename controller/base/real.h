// SPDX-License-Identifier: Apache-2.0
// Numbers with a fraction, as parse_integer is for whole ones.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace bulkhead {

// The whole text as the nearest double: no blanks, no plus sign, no overflow; NaN and infinities by name.
inline std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace bulkhead
