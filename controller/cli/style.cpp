// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/style.h"

#include <algorithm>
#include <array>

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
  // Every byte but the continuation bytes of UTF-8 begins a character.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  const std::size_t wide = display_width(text);
  if (wide < width) result.append(width - wide, ' ');
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string result;
  while (display_width(text) > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) {
      const std::size_t comma = text.rfind(',', width - 1);
      end = comma == std::string_view::npos ? width : comma + 1;
    }
    result += text.substr(0, end);
    result += '\n';
    result += indent;
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  result += text;
  return result;
}

}  // namespace bulkhead
