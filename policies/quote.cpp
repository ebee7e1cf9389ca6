// SPDX-License-Identifier: Apache-2.0
#include "policies/quote.h"

namespace bulkhead {
namespace {

std::string escaped(unsigned char byte) {
  if (byte == '\n') return "\\n";
  if (byte == '\t') return "\\t";
  if (byte == '\r') return "\\r";
  constexpr std::string_view kDigits = "0123456789abcdef";
  return std::string("\\u00") + kDigits[byte >> 4] + kDigits[byte & 15];
}

// C1 controls, U+0080 to U+009F, are two bytes in UTF-8; terminals obey them, too.
bool is_late_control(std::string_view text, std::size_t at) {
  return text[at] == '\xc2' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
         static_cast<unsigned char>(text[at + 1]) < 0xa0;
}

std::string_view cut(std::string_view text) {
  if (text.size() <= kLongestQuote) return text;
  std::size_t end = kLongestQuote - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7f) {
      result += escaped(byte);
    } else if (is_late_control(text, at)) {
      result += escaped(static_cast<unsigned char>(text[++at]));
    } else {
      result += text[at];
    }
  }
  return result;
}

std::string shortened(std::string_view text) {
  const std::string_view kept = cut(text);
  return printable(kept) + (kept.size() < text.size() ? "..." : "");
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char letter : shortened(text)) {
    if (letter == '"') result += '\\';
    result += letter;
  }
  return result += '"';
}

}  // namespace bulkhead
