// SPDX-License-Identifier: Apache-2.0
// Any bytes are a policy, or diagnostics.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "policies/reader.h"
#include "tests/fuzz/check_diagnostics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bulkhead::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bulkhead::PolicyReading reading = bulkhead::read_policy(text);
  require(reading.policy.has_value() == reading.diagnostics.empty());
  check_diagnostics(text, reading.diagnostics);
  if (reading.policy) require(!reading.policy->services.empty());
  return 0;
}
