// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/reading.h"

#include <algorithm>
#include <utility>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::array<std::string_view, kCounterEvents.size()> kEventNames{"llc_occupancy", "mbm_total_bytes",
                                                                          "mbm_local_bytes"};
constexpr std::array<std::string_view, 14> kNoDataWords{
    "",           "not_read", "first_sample", "restarted",   "unavailable", "error",          "unassigned",
    "unreadable", "idle",     "multiplexed",  "not_counted", "refused",     "no_descriptors", "absent"};

constexpr std::array<std::pair<std::string_view, NoData>, 3> kKernelWords{
    {{"Unavailable", NoData::unavailable}, {"Error", NoData::error}, {"Unassigned", NoData::unassigned}}};

}  // namespace

std::string_view to_string(CounterEvent event) {
  return kEventNames[static_cast<std::size_t>(event)];
}

std::optional<CounterEvent> parse_counter_event(std::string_view name) {
  const auto* found = std::find(kEventNames.begin(), kEventNames.end(), name);
  if (found == kEventNames.end()) return std::nullopt;
  return kCounterEvents[static_cast<std::size_t>(found - kEventNames.begin())];
}

std::string_view to_string(NoData why) {
  return kNoDataWords[static_cast<std::size_t>(why)];
}

NoData parse_no_data(std::string_view word) {
  const auto* found = std::find(kNoDataWords.begin(), kNoDataWords.end(), word);
  return found == kNoDataWords.end() ? NoData::unreadable : static_cast<NoData>(found - kNoDataWords.begin());
}

Reading parse_reading(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (const auto value = parse_integer<std::uint64_t>(text)) return {*value, NoData::none};
  for (const auto& [word, why] : kKernelWords) {
    if (text == word) return {0, why};
  }
  return {0, NoData::unreadable};
}

}  // namespace bulkhead
