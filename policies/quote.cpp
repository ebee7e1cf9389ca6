// SPDX-License-Identifier: Apache-2.0
#include "policies/quote.h"

#include <algorithm>

#include "policies/json_text.h"

namespace bulkhead {
namespace {

struct Range {
  char32_t first, last;
};

// Controls, and what has no shape of its own but changes how the rest looks: marks of direction, joiners,
// invisible blanks, separators of lines, tags.
constexpr Range kHidden[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool is_hidden(char32_t letter) {
  return std::any_of(std::begin(kHidden), std::end(kHidden),
                     [&](const Range& range) { return range.first <= letter && letter <= range.last; });
}

std::string hexadecimal(char32_t number, unsigned digits) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string text;
  while (digits-- > 0) text += kHexDigits[number >> (4 * digits) & 15];
  return text;
}

// As JSON has it: what is beyond U+FFFF as two surrogates.
std::string escaped(char32_t letter) {
  if (letter == '\n') return "\\n";
  if (letter == '\t') return "\\t";
  if (letter == '\r') return "\\r";
  constexpr char32_t kBeyond = 0x10000;
  if (letter < kBeyond) return "\\u" + hexadecimal(letter, 4);
  return escaped(0xd800 + ((letter - kBeyond) >> 10)) + escaped(0xdc00 + ((letter - kBeyond) & 0x3ff));
}

// The code point of one whole character of UTF-8.
char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  char32_t code = lead & (0x7fU >> character.size());
  for (const char byte : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  return code;
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
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      result += "\\x" + hexadecimal(static_cast<unsigned char>(text[at++]), 2);
      continue;
    }
    const std::string_view character = text.substr(at, length);
    const char32_t letter = code_point(character);
    if (is_hidden(letter)) {
      result += escaped(letter);
    } else {
      result += character;
    }
    at += length;
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
