// SPDX-License-Identifier: Apache-2.0
// Any bytes are a policy, or a bounded list of diagnostics that stand inside the text, in its order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "policies/diagnostic_list.h"
#include "policies/reader.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_diagnostics(std::string_view text, const std::vector<bulkhead::Diagnostic>& diagnostics) {
  require(diagnostics.size() <= bulkhead::kMostDiagnostics + 1);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  std::size_t line_before = 0;
  for (const auto& [place, message] : diagnostics) {
    require(!message.empty() && message.size() < 1024);
    const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
    require(std::ranges::none_of(message, is_control));
    if (place.line == 0) continue;  // the count of those not shown
    require(place.line >= line_before && place.line <= lines);
    require(place.column >= 1 && place.column <= text.size() + 1);
    line_before = place.line;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bulkhead::PolicyReading reading = bulkhead::read_policy(text);
  require(reading.policy.has_value() == reading.diagnostics.empty());
  check_diagnostics(text, reading.diagnostics);
  if (reading.policy) require(!reading.policy->services.empty());
  return 0;
}
