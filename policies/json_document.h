// SPDX-License-Identifier: Apache-2.0
// JSON, with comments, as a tree in which every key and value knows where it stands. Nothing is interpreted:
// numbers stay as they were written.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "policies/diagnostic.h"
#include "policies/diagnostic_list.h"

namespace bulkhead {

inline constexpr std::size_t kDeepestJson = 32;  // objects and arrays inside one another
inline constexpr std::size_t kMostJsonValues = 1 << 16;
inline constexpr std::size_t kLongestJsonKey = 256;  // bytes; with the depth it bounds every JSON pointer

enum class JsonType { null, boolean, number, string, array, object };

struct JsonValue {
  JsonType type = JsonType::null;
  std::string text;  // of strings, without quotes and escapes; else as it was written; empty for the others
  std::string key;   // where the parent is an object
  std::size_t index = 0;  // where the parent is an array
  std::size_t line = 0, column = 0;
  std::size_t key_line = 0, key_column = 0;
  const JsonValue* parent = nullptr;
  std::vector<const JsonValue*> children;  // in the order of the document; a repeated key is not among them

  const JsonValue* find(std::string_view name) const;  // a member of an object; nullptr if there is none
  std::string pointer() const;
  Place place() const { return {line, column, pointer()}; }
  Place key_place() const { return {key_line, key_column, pointer()}; }
};

struct JsonDocument {
  std::deque<JsonValue> values;  // the root first; a deque, because values point at each other
  const JsonValue* root() const { return values.empty() ? nullptr : &values.front(); }
};

// A larger document is refused before it is read.
inline constexpr std::size_t kLargestDocument = 4 << 20;

// The document; without a root if the text is not JSON. Syntax ends at its first mistake, which is added to
// `problems` like every repeated key before it. The caller bounds the size of the text.
// Of a text that holds nothing `where_empty` is told.
JsonDocument parse_json(std::string_view text, DiagnosticList& problems,
                        Problem where_empty = Problem::nothing_there);

// The same, with that bound.
JsonDocument parse_document(std::string_view text, DiagnosticList& problems,
                            Problem where_empty = Problem::nothing_there);

}  // namespace bulkhead
