// SPDX-License-Identifier: Apache-2.0
#include "controller/base/utc.h"

#include <ctime>

namespace bulkhead {
namespace {

constexpr const char* kFormat = "%Y-%m-%dT%H:%M:%SZ";

}  // namespace

std::string utc_text(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, kFormat, &parts)};
}

std::string precise_utc_text(WallTime time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::string thousandths = std::to_string(1000 + since_epoch % 1000).substr(1);
  std::string text = utc_text(time);
  return text.insert(text.size() - 1, '.' + thousandths);
}

std::optional<WallTime> parse_utc(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), kFormat, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

}  // namespace bulkhead
