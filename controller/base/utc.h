// SPDX-License-Identifier: Apache-2.0
// Points in time as text, "2026-03-01T12:00:05Z": UTC.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace bulkhead {

using WallTime = std::chrono::system_clock::time_point;

std::string utc_text(WallTime time);         // whole seconds
std::string precise_utc_text(WallTime time);  // "2026-03-01T12:00:05.250Z"
std::optional<WallTime> parse_utc(const std::string& text);  // of whole seconds

}  // namespace bulkhead
