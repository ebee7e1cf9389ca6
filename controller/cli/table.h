// SPDX-License-Identifier: Apache-2.0
// Columns of text, as wide as what is in them.
#pragma once

#include <string>
#include <vector>

#include "controller/cli/style.h"

namespace bulkhead {

class Table {
 public:
  explicit Table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

  // Plain text; what would steer the terminal is spelled out.
  void add(std::vector<std::string> cells);

  // Columns that have to give way when all is wider than the style's width are wrapped, the widest first.
  // Where even that is too wide, every row becomes a line that names it, the first column and those up to the
  // last without a title, and the other cells become lines below. Rows whose first cell is empty belong to
  // the row above.
  std::string draw(const Style& style) const;

 private:
  using Widths = std::vector<std::size_t>;

  Widths natural_widths() const;
  std::string draw_rows(const Widths& widths, const Style& style) const;
  std::string draw_records(const Style& style) const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bulkhead
