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

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Columns that have to give way when all is wider than the style's width are wrapped, the widest first.
  // Rows whose first cell is empty belong to the row above.
  std::string draw(const Style& style) const;

 private:
  std::vector<std::size_t> widths(std::size_t most) const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bulkhead
