// SPDX-License-Identifier: Apache-2.0
// What a method's parameter may be: one table has how it is called in messages, its JSON Schema and its
// check.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace bulkhead {

enum class ParameterType { text, flag, generation, processes, event_kinds, machine, subscription, texts };

struct ParameterTypeRow {
  ParameterType type;
  std::string_view words;   // "a string"
  std::string_view schema;  // JSON
  bool (*fits)(const nlohmann::json& value);
};

const ParameterTypeRow& row_of(ParameterType type);

}  // namespace bulkhead
