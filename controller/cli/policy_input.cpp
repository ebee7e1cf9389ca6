// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/policy_input.h"

#include <nlohmann/json.hpp>

#include "controller/api/error_json.h"
#include "controller/cli/document.h"
#include "controller/cli/json_text.h"
#include "policies/diagnostics_json.h"
#include "policies/reader.h"

namespace bulkhead {

std::optional<PolicyInput> read_policy_input(Call& call) {
  PolicySource source = read_document(call.arguments.front());
  PolicyReading reading = read_policy(source.text);
  if (reading.policy) return PolicyInput{std::move(source), std::move(*reading.policy)};
  if (!call.options.json) {
    call.console.diagnostics(render(source.file, reading.diagnostics));
    return std::nullopt;
  }
  try {
    require_policy(source.text, source.file);
  } catch (const Error& error) {
    call.console.out += json_text({{"error", error_json(error.detail())},
                                   {"diagnostics", diagnostics_json(source.file, reading.diagnostics)}});
  }
  return std::nullopt;
}

}  // namespace bulkhead
