// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/table.h"

#include <algorithm>
#include <numeric>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestColumn = 12;

void drop_blanks_at_end(std::string& line) {
  while (line.ends_with(' ')) line.pop_back();
}

}  // namespace

std::vector<std::size_t> Table::widths(std::size_t most) const {
  std::vector<std::size_t> wide(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      wide[column] = std::max(wide[column], display_width(row[column]));
    }
  }
  std::size_t total = std::accumulate(wide.begin(), wide.end(), kGap * (wide.size() - 1));
  while (total > most) {
    const auto widest = std::max_element(wide.begin(), wide.end());
    if (*widest <= kNarrowestColumn) break;
    --*widest;
    --total;
  }
  return wide;
}

std::string Table::draw(const Style& style) const {
  const std::vector<std::size_t> wide = widths(style.width);
  std::string text;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = 1;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string broken = wrapped(row[column], wide[column], "");
      cells.emplace_back();
      for (const std::string_view part : split(broken, '\n')) cells.back().emplace_back(part);
      lines = std::max(lines, cells.back().size());
    }
    for (std::size_t number = 0; number < lines; ++number) {
      std::string line;
      for (std::size_t column = 0; column < cells.size(); ++column) {
        const std::string part = number < cells[column].size() ? cells[column][number] : "";
        line += padded(part, wide[column] + (column + 1 < cells.size() ? kGap : 0));
      }
      drop_blanks_at_end(line);
      text += (&row == &rows_.front() ? paint(style, Paint::bold, line) : line) + '\n';
    }
  }
  return text;
}

}  // namespace bulkhead
