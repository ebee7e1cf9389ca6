// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {

// "; did you mean "NAME"?", for the row of a table whose name is probably meant; empty if none is close.
template <class Rows>
std::string suggestion(std::string_view word, const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  const std::string_view meant = closest(word, names);
  return meant.empty() ? std::string() : "; did you mean " + in_quotes(meant) + "?";
}

}  // namespace bulkhead
