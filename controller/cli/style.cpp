// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/style.h"

#include <algorithm>
#include <array>

#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr std::array<std::string_view, 6> kPaints{"", "1", "2", "32", "33", "31"};

// Backgrounds of the 256-colour table that keep black text readable and differ for colour-blind people, too.
constexpr std::array<std::string_view, 8> kGroupColors{"74", "214", "72", "175", "227", "116", "173", "146"};

constexpr std::size_t kLetters = 26;

std::string escaped(std::string_view codes, std::string_view text) {
  std::string painted = "\x1b[";
  painted += codes;
  painted += 'm';
  painted += text;
  painted += "\x1b[0m";
  return painted;
}

// Every byte but the continuation bytes of UTF-8 does.
bool begins_character(char byte) {
  return (byte & 0xc0) != 0x80;
}

// How many bytes the first characters have.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (begins_character(text[end]) && characters-- == 0) break;
  }
  return end;
}

// Where to break a text that is wider than a line.
std::size_t end_of_line(std::string_view text, std::size_t width) {
  const std::size_t most = bytes_of(text, width);
  const std::size_t blank = text.rfind(' ', most);
  if (blank != std::string_view::npos && blank != 0) return blank;
  const std::size_t comma = text.rfind(',', most - 1);
  return comma == std::string_view::npos ? most : comma + 1;
}

std::string broken(std::string_view text, std::size_t width_of_first, std::size_t width_of_rest,
                   std::string_view indent) {
  const std::string shown = printable(text);
  std::string_view rest = shown;
  std::string result;
  std::size_t width = std::max<std::size_t>(width_of_first, 1);
  while (display_width(rest) > width) {
    const std::size_t end = end_of_line(rest, width);
    result += rest.substr(0, end);
    result += '\n';
    result += indent;
    rest.remove_prefix(end);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    width = std::max<std::size_t>(width_of_rest, 1);
  }
  result += rest;
  return result;
}

}  // namespace

std::string paint(const Style& style, Paint kind, std::string_view text) {
  if (!style.color || kind == Paint::plain || text.empty()) return std::string(text);
  return escaped(kPaints[static_cast<std::size_t>(kind)], text);
}

std::string paint_group(const Style& style, std::size_t group, std::string_view text) {
  if (!style.color) return std::string(text);
  return escaped("30;48;5;" + std::string(kGroupColors[group % kGroupColors.size()]), text);
}

char group_letter(std::size_t group) {
  return group < kLetters ? static_cast<char>('A' + group) : '#';
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  const std::size_t wide = display_width(text);
  if (wide < width) result.append(width - wide, ' ');
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  return broken(text, width, width, indent);
}

std::string hanging(std::string_view text, std::size_t width) {
  constexpr std::string_view kIndent = "  ";
  return broken(text, width, width - std::min(width, kIndent.size()), kIndent);
}

std::string titled(std::string_view title, std::string_view rest, const Style& style) {
  std::string text = wrapped(std::string(title) + std::string(rest), style.width, "");
  const std::string shown = printable(title);
  if (!text.starts_with(shown)) return text;  // broken in the middle of the title
  return paint(style, Paint::bold, shown) + text.substr(shown.size());
}

}  // namespace bulkhead
