// SPDX-License-Identifier: Apache-2.0
#include "policies/verify_reader.h"

#include <chrono>
#include <optional>
#include <string_view>

#include "controller/base/text.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestSettle = std::chrono::hours(1);

struct TimeUnit {
  std::string_view suffix;
  milliseconds length;
};
// "ms" before "s", which ends it, too.
constexpr TimeUnit kTimeUnits[] = {
    {"ms", milliseconds(1)}, {"s", std::chrono::seconds(1)}, {"m", std::chrono::minutes(1)}};

std::optional<milliseconds> parse_time(std::string_view text) {
  for (const auto& [suffix, length] : kTimeUnits) {
    if (!text.ends_with(suffix)) continue;
    const auto count = parse_integer<std::uint32_t>(trim(text.substr(0, text.size() - suffix.size())));
    if (!count || *count > kLongestSettle / length) return std::nullopt;
    return *count * length;
  }
  return std::nullopt;
}

void read_percent(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                  Percent& percent) {
  if (const auto read = Percent::parse(value.text)) {
    percent = *read;
  } else {
    refuse(problems, value, keyword);
  }
}

constexpr Field<VerifySettings> kVerifyFields[] = {
    {"occupancy_slack",
     [](DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, VerifySettings& settings) {
       read_percent(problems, value, keyword, settings.occupancy_slack);
     }},
    {"settle",
     [](DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, VerifySettings& settings) {
       const auto time = parse_time(value.text);
       if (!time) return refuse(problems, value, keyword);
       settings.settle = *time;
     }},
    {"max_bandwidth_overshoot",
     [](DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, VerifySettings& settings) {
       read_percent(problems, value, keyword, settings.max_bandwidth_overshoot);
     }},
};

}  // namespace

void read_verify(DiagnosticList& problems, const JsonValue& value, VerifySettings& settings) {
  read_members<VerifySettings>(problems, value, kVerifyTable, kVerifyFields, settings);
}

}  // namespace bulkhead
