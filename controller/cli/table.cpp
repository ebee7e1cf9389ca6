// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/table.h"

#include <algorithm>
#include <numeric>

#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestColumn = 12;

std::string without_blanks_at_end(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::size_t total_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

// As narrow as they may become, if need be, the widest first.
std::vector<std::size_t> narrowed(std::vector<std::size_t> widths, std::size_t most) {
  for (std::size_t total = total_of(widths); total > most; --total) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kNarrowestColumn) break;
    --*widest;
  }
  return widths;
}

// How many columns say what a row is about.
std::size_t count_keys(const std::vector<std::string>& titles) {
  const auto last = std::find(titles.rbegin(), titles.rend(), "");
  return std::max<std::size_t>(1, static_cast<std::size_t>(titles.rend() - last));
}

// What a row is about; what belongs to the row above is set in.
std::string name_of(const std::vector<std::string>& row, std::size_t keys, const Style& style) {
  std::vector<std::string> words;
  for (std::size_t column = 0; column < keys; ++column) {
    if (!row[column].empty()) words.push_back(row[column]);
  }
  const std::string indent(kGap, ' ');
  const std::string name = wrapped(join(words, indent), style.width - kGap, indent);
  return row.front().empty() ? indent + name : paint(style, Paint::bold, name);
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

Table::Widths Table::natural_widths() const {
  Widths widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], display_width(row[column]));
    }
  }
  return widths;
}

std::string Table::draw(const Style& style) const {
  const Widths widths = narrowed(natural_widths(), style.width);
  return total_of(widths) <= style.width ? draw_rows(widths, style) : draw_records(style);
}

std::string Table::draw_rows(const Widths& widths, const Style& style) const {
  std::string text;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string broken = wrapped(row[column], widths[column], "");
      cells.emplace_back();
      for (const std::string_view part : split(broken, '\n')) cells.back().emplace_back(part);
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t number = 0; number < lines; ++number) {
      std::string line;
      for (std::size_t column = 0; column < cells.size(); ++column) {
        const std::string part = number < cells[column].size() ? cells[column][number] : "";
        line += padded(part, widths[column] + (column + 1 < cells.size() ? kGap : 0));
      }
      line = without_blanks_at_end(line);
      text += (&row == &rows_.front() ? paint(style, Paint::bold, line) : line) + '\n';
    }
  }
  return text;
}

std::string Table::draw_records(const Style& style) const {
  const std::vector<std::string>& titles = rows_.front();
  const std::size_t keys = count_keys(titles);
  std::size_t widest = 0;
  for (std::size_t column = keys; column < titles.size(); ++column) {
    widest = std::max(widest, display_width(titles[column]));
  }
  const std::string margin(2 * kGap, ' ');
  const std::string indent(margin.size() + widest + kGap, ' ');
  const std::size_t room = style.width - std::min(style.width, indent.size());
  std::string text;
  for (std::size_t number = 1; number < rows_.size(); ++number) {
    const std::vector<std::string>& row = rows_[number];
    text += name_of(row, keys, style) + '\n';
    for (std::size_t column = keys; column < row.size(); ++column) {
      const std::string line =
          margin + padded(titles[column], widest + kGap) + wrapped(row[column], room, indent);
      text += without_blanks_at_end(line) + '\n';
    }
  }
  return text;
}

}  // namespace bulkhead
