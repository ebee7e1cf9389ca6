// SPDX-License-Identifier: Apache-2.0
#include "policies/json_string_syntax.h"

#include <optional>

#include "controller/base/text.h"
#include "policies/json_text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr std::size_t kUnicodeEscape = 6;  // bytes of \uXXXX

// The code unit of the escape that begins with the backslash at `at`.
std::optional<unsigned> code_unit(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(at, kUnicodeEscape);
  if (escape.size() < kUnicodeEscape || !escape.starts_with("\\u")) return std::nullopt;
  return parse_integer<unsigned>(escape.substr(2), 16);
}

bool is_high_surrogate(unsigned unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low_surrogate(unsigned unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

// Passes over the escape at `at`, or says what is wrong with it.
std::optional<StringFault> pass_escape(std::string_view text, std::size_t& at) {
  if (at + 1 >= text.size()) return std::nullopt;  // the text ends here, which is found next
  if (text[at + 1] != 'u') {
    if (std::string_view("\"\\/bfnrt").find(text[at + 1]) == std::string_view::npos) {
      return StringFault{at, Problem::wrong_escape,
                         shortened(text.substr(at, 1 + character_length(text, at + 1))), ""};
    }
    ++at;
    return std::nullopt;
  }
  const auto unit = code_unit(text, at);
  if (!unit) {
    const auto end = text.find_first_of("\"\r\n", at);
    return StringFault{at, Problem::wrong_escape,
                       shortened(text.substr(at, std::min(end - at, kUnicodeEscape))), ""};
  }
  if (is_high_surrogate(*unit)) {
    const auto second = code_unit(text, at + kUnicodeEscape);
    if (!second || !is_low_surrogate(*second)) {
      return StringFault{at, Problem::half_character, std::string(text.substr(at, kUnicodeEscape)), ""};
    }
    at += kUnicodeEscape;
  } else if (is_low_surrogate(*unit)) {
    return StringFault{at, Problem::half_character, std::string(text.substr(at, kUnicodeEscape)), ""};
  }
  at += kUnicodeEscape - 1;
  return std::nullopt;
}

}  // namespace

StringFault find_string_fault(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '\n' || letter == '\r' || letter == '"') break;
    if (letter == '\\') {
      if (const auto fault = pass_escape(text, at)) return *fault;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      const std::string written = printable(text.substr(at, 1));
      return {at, Problem::control_character, written.size() == 2 ? "'" + written + "'" : written, written};
    }
  }
  return {begin, Problem::open_string, "", ""};
}

}  // namespace bulkhead
