// SPDX-License-Identifier: Apache-2.0
#include "policies/diagnostic_list.h"

#include <iterator>
#include <string>

namespace bulkhead {

bool DiagnosticList::shows(std::size_t line, std::size_t column) const {
  return shown_.size() < kMostDiagnostics || Position{line, column} < shown_.rbegin()->first;
}

void DiagnosticList::add(Place place, Problem problem, std::initializer_list<std::string_view> arguments) {
  if (!shows(place.line, place.column)) {
    count_hidden();
    return;
  }
  const Position position{place.line, place.column};
  shown_.emplace(position, Diagnostic{std::move(place), describe(problem, arguments)});
  if (shown_.size() > kMostDiagnostics) {
    shown_.erase(std::prev(shown_.end()));
    count_hidden();
  }
}

std::vector<Diagnostic> DiagnosticList::take() {
  std::vector<Diagnostic> all;
  all.reserve(shown_.size() + 1);
  for (auto& [position, diagnostic] : shown_) all.push_back(std::move(diagnostic));
  if (hidden_ > 0) all.push_back({Place{}, describe(Problem::more_problems, {std::to_string(hidden_)})});
  shown_.clear();
  hidden_ = 0;
  return all;
}

}  // namespace bulkhead
