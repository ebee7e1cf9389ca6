// SPDX-License-Identifier: Apache-2.0
// Collects diagnostics in the order of the document, however they come in, and only so many of them: a
// document of a million mistakes is answered by its first ones and a count.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/diagnostic.h"
#include "policies/problems.h"

namespace bulkhead {

inline constexpr std::size_t kMostDiagnostics = 100;

class DiagnosticList {
 public:
  void add(Place place, Problem problem, std::initializer_list<std::string_view> arguments = {});

  // Whether a problem here would be shown; if not, counting it is enough.
  bool shows(std::size_t line, std::size_t column) const;
  void count_hidden() { ++hidden_; }

  bool empty() const { return shown_.empty() && hidden_ == 0; }
  std::vector<Diagnostic> take();  // with a last one that counts those not shown

 private:
  using Position = std::pair<std::size_t, std::size_t>;  // line and column

  std::multimap<Position, Diagnostic> shown_;
  std::size_t hidden_ = 0;
};

}  // namespace bulkhead
