// SPDX-License-Identifier: Apache-2.0
#include "policies/duration.h"

#include "controller/base/text.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongest = std::chrono::hours(1);

struct TimeUnit {
  std::string_view suffix;
  milliseconds length;
};
// "ms" before "s", which ends it, too.
constexpr TimeUnit kTimeUnits[] = {
    {"ms", milliseconds(1)}, {"s", std::chrono::seconds(1)}, {"m", std::chrono::minutes(1)}, {"h", kLongest}};

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
  for (const auto& [suffix, length] : kTimeUnits) {
    if (!text.ends_with(suffix)) continue;
    const auto count = parse_integer<std::uint32_t>(trim(text.substr(0, text.size() - suffix.size())));
    if (!count || *count > kLongest / length) return std::nullopt;
    return *count * length;
  }
  return std::nullopt;
}

}  // namespace bulkhead
