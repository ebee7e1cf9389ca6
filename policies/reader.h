// SPDX-License-Identifier: Apache-2.0
// Text to Policy. Strict: what is not understood is an error, and all errors are reported in one run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/diagnostic.h"
#include "policies/json_document.h"
#include "policies/policy.h"

namespace bulkhead {

inline constexpr std::size_t kLargestPolicy = kLargestDocument;

struct PolicyReading {
  std::optional<Policy> policy;         // there exactly if there are no diagnostics
  std::vector<Diagnostic> diagnostics;  // in the order of the document
};

PolicyReading read_policy(std::string_view text);

// The same, where a wrong document is an exception: Error(invalid) with the first diagnostic's place and
// message, naming how many more there are.
Policy require_policy(std::string_view text, const std::string& file);

}  // namespace bulkhead
