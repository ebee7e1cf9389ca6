// SPDX-License-Identifier: Apache-2.0
// Which series of a Prometheus text page are meant: a name, and labels that must be as given. All series that
// match are added up, so that less said means more is counted.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bulkhead {

using Labels = std::vector<std::pair<std::string, std::string>>;  // name, value; in the order of the text

struct SeriesSelector {
  std::string name;
  Labels labels;

  bool operator==(const SeriesSelector&) const = default;
};

// `name` or `name{label="value", ...}`; otherwise why it is none, as in "... is not a series: WHY".
std::variant<SeriesSelector, std::string> parse_series(std::string_view text);

// The labels of a series, from its '{' on, as pages and selectors write them. Removes them from `text`, with
// their '}'; otherwise why not.
std::variant<Labels, std::string> take_labels(std::string_view& text);

// As Prometheus names metrics: [a-zA-Z_:][a-zA-Z0-9_:]*
bool is_series_name(std::string_view text);

}  // namespace bulkhead
