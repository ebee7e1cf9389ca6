// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/json_text.h"

#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {

namespace {

std::string dumped(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string json_line(const nlohmann::ordered_json& document) {
  return printable(dumped(document, -1)) + '\n';
}

std::string json_text(const nlohmann::ordered_json& document) {
  const std::string lines = dumped(document, 2);
  std::string text;
  // A document may be looked at in a terminal; only texts in it have characters to spell out, and there
  // \u202e says the same as the character.
  for (const std::string_view line : split(lines, '\n')) text += printable(line) + '\n';
  return text;
}

}  // namespace bulkhead
