// SPDX-License-Identifier: Apache-2.0
// Why a text is not JSON, in words: what was found and what would be right. Asked once, after the parser
// refused.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "policies/diagnostic_list.h"
#include "policies/json_document.h"

namespace bulkhead {

// What the parser understood last.
enum class JsonEvent { nothing, opened, key, value };

struct JsonProgress {
  JsonEvent event = JsonEvent::nothing;
  std::size_t end = 0;                 // behind what was understood last
  std::size_t begin = 0;               // of it
  std::vector<const JsonValue*> open;  // objects and arrays, the innermost last
  Problem where_empty = Problem::nothing_there;  // of a text that holds nothing
};

// Adds the one problem at which parsing stopped.
void explain_syntax(std::string_view text, const JsonProgress& progress, DiagnosticList& problems);

}  // namespace bulkhead
