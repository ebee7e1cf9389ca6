// SPDX-License-Identifier: Apache-2.0
// Points in time as text, "2026-03-01T12:00:05Z": UTC, whole seconds.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace bulkhead {

using WallTime = std::chrono::system_clock::time_point;

std::string utc_text(WallTime time);
std::optional<WallTime> parse_utc(const std::string& text);

}  // namespace bulkhead
