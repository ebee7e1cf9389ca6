// SPDX-License-Identifier: Apache-2.0
// How text looks on a terminal. What it is written to decides; everything that makes text is told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bulkhead {

struct Style {
  bool color = false;
  bool unicode = false;  // box characters may be used
  std::size_t width = 100;
};

enum class Paint { plain, bold, dim, good, warning, bad };

std::string paint(const Style& style, Paint kind, std::string_view text);

// Text on the background that belongs to the group of that number.
std::string paint_group(const Style& style, std::size_t group, std::string_view text);

// The letter that stands for a group in pictures and tables: A to Z, then '#' for all others.
char group_letter(std::size_t group);

// Columns on the screen, for text without colours.
std::size_t display_width(std::string_view text);

// Blanks added at the end up to that many columns.
std::string padded(std::string_view text, std::size_t width);

// Plain text, broken at blanks, or behind commas where a word is longer than a line. What would steer the
// terminal is spelled out: the names of cgroups and files come from others. `indent` is what stands before
// the first line already: the width is that of what comes behind it.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

// The same, from the left margin, with the lines below the first one set in.
std::string hanging(std::string_view text, std::size_t width);

// The title and what follows it, wrapped, with the title bold.
std::string titled(std::string_view title, std::string_view rest, const Style& style);

}  // namespace bulkhead
