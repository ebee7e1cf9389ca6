// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace bulkhead {

// "500ms", "30s", "5m", "1h"; at most an hour.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

inline double in_seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace bulkhead
