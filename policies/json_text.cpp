// SPDX-License-Identifier: Apache-2.0
#include "policies/json_text.h"

#include <algorithm>
#include <string>

namespace bulkhead {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct Utf8Form {
  unsigned char lead_mask, lead;  // which first bytes
  std::size_t length;
  unsigned char second_first, second_last;  // the second byte's range tells overlong forms and surrogates
};

// RFC 3629. A form for a single lead byte stands before the general one of its length.
constexpr Utf8Form kForms[] = {
    {0x80, 0x00, 1, 0, 0},       {0xff, 0xe0, 3, 0xa0, 0xbf}, {0xff, 0xed, 3, 0x80, 0x9f},
    {0xff, 0xf0, 4, 0x90, 0xbf}, {0xff, 0xf4, 4, 0x80, 0x8f}, {0xe0, 0xc0, 2, 0x80, 0xbf},
    {0xf0, 0xe0, 3, 0x80, 0xbf}, {0xfc, 0xf0, 4, 0x80, 0xbf},
};

std::string hexadecimal(char letter) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(letter);
  return {'0', 'x', kHexadecimal[byte >> 4], kHexadecimal[byte & 15]};
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[offset]); };
  const unsigned char lead = byte(at);
  if (lead == 0xc0 || lead == 0xc1) return 0;  // overlong
  for (const Utf8Form& form : kForms) {
    if ((lead & form.lead_mask) != form.lead) continue;
    if (text.size() - at < form.length) return 0;
    if (form.length > 1 && (byte(at + 1) < form.second_first || byte(at + 1) > form.second_last)) return 0;
    for (std::size_t more = 2; more < form.length; ++more) {
      if ((byte(at + more) & 0xc0) != 0x80) return 0;
    }
    return form.length;
  }
  return 0;
}

bool check_bytes(std::string_view text, DiagnosticList& problems) {
  if (text.starts_with("\xef\xbb\xbf")) {
    problems.add({1, 1, ""}, Problem::byte_order_mark);
    return false;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) {
      problems.add(LineCounter(text).place_of(at), Problem::invalid_utf8, {hexadecimal(text[at])});
      return false;
    }
    if (text[at] == '\0') {
      problems.add(LineCounter(text).place_of(at), Problem::nul_byte);
      return false;
    }
    at += length;
  }
  return true;
}

bool begins_comment(std::string_view text, std::size_t at) {
  const std::string_view two = text.substr(at, 2);
  return two == "//" || two == "/*";
}

std::size_t skip_blanks(std::string_view text, std::size_t from) {
  for (std::size_t at = from;;) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) return text.size();
    if (!begins_comment(text, at)) return at;
    const bool line = text[at + 1] == '/';
    const std::size_t end = line ? text.find_first_of("\r\n", at + 2) : text.find("*/", at + 2);
    if (end == std::string_view::npos) return line ? text.size() : at;
    at = line ? end : end + 2;
  }
}

std::size_t number_length(std::string_view text) {
  const auto digits_end = [&](std::size_t at) {
    return std::min(text.find_first_not_of(kDigits, at), text.size());
  };
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  std::size_t end = text.substr(begin).starts_with('0') ? begin + 1 : digits_end(begin);
  if (end == begin) return 0;
  if (text.substr(end).starts_with('.')) {
    const std::size_t fraction = digits_end(end + 1);
    if (fraction == end + 1) return end;
    end = fraction;
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const bool sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-');
    const std::size_t power = end + (sign ? 2 : 1);
    if (const std::size_t power_end = digits_end(power); power_end > power) end = power_end;
  }
  return end;
}

Place LineCounter::place_of(std::size_t offset) {
  for (; counted_ < offset; ++counted_) {
    if (text_[counted_] == '\n') {
      ++line_;
      line_begin_ = counted_ + 1;
    }
  }
  return {line_, offset - line_begin_ + 1, ""};
}

}  // namespace bulkhead
