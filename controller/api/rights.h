// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace bulkhead {

// What a caller may do; each includes the one before.
enum class Right { none, read, admin };

constexpr std::string_view to_string(Right right) {
  constexpr std::string_view kWords[] = {"none", "read", "admin"};
  return kWords[static_cast<int>(right)];
}

}  // namespace bulkhead
