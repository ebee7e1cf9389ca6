// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/json_text.h"

#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {

std::string json_text(const nlohmann::ordered_json& document) {
  const std::string lines = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  // A document may be looked at in a terminal; only texts in it have characters to spell out, and there
  // \u202e says the same as the character.
  for (const std::string_view line : split(lines, '\n')) text += printable(line) + '\n';
  return text;
}

}  // namespace bulkhead
