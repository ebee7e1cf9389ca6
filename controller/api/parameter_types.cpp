// SPDX-License-Identifier: Apache-2.0
#include "controller/api/parameter_types.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "controller/api/event_kinds.h"

namespace bulkhead {
namespace {

using Input = nlohmann::json;

constexpr std::size_t kMostProcesses = 10'000;

bool is_process(const Input& value) {
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());  // of pid_t
  return value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 && value.get<std::uint64_t>() <= most;
}

bool are_processes(const Input& value) {
  return value.is_array() && !value.empty() && value.size() <= kMostProcesses &&
         std::all_of(value.begin(), value.end(), is_process);
}

bool are_event_kinds(const Input& value) {
  return value.is_array() && !value.empty() && value.size() <= event_kinds().size() &&
         std::all_of(value.begin(), value.end(), [&](const Input& kind) {
           return kind.is_string() && parse_event_kind(kind.get_ref<const std::string&>()) &&
                  std::count(value.begin(), value.end(), kind) == 1;
         });
}

bool are_texts(const Input& value) {
  return value.is_object() &&
         std::all_of(value.begin(), value.end(), [](const Input& text) { return text.is_string(); });
}

constexpr std::array kParameterTypes{
    ParameterTypeRow{ParameterType::text, "a string", R"({"type": "string"})",
                     [](const Input& value) { return value.is_string(); }},
    ParameterTypeRow{ParameterType::flag, "true or false", R"({"type": "boolean"})",
                     [](const Input& value) { return value.is_boolean(); }},
    ParameterTypeRow{ParameterType::generation, "an integer from 0 on",
                     R"({"type": "integer", "minimum": 0})",
                     [](const Input& value) { return value.is_number_unsigned(); }},
    ParameterTypeRow{ParameterType::processes, "a list of 1 to 10000 process ids",
                     R"({"type": "array", "minItems": 1, "maxItems": 10000,
                         "items": {"type": "integer", "minimum": 1, "maximum": 2147483647}})",
                     are_processes},
    ParameterTypeRow{
        ParameterType::event_kinds, "a list of different kinds of events, as rpc.discover names them",
        R"({"type": "array", "minItems": 1, "uniqueItems": true, "items": {"$ref": "#/components/schemas/EventKind"}})",
        are_event_kinds},
    ParameterTypeRow{ParameterType::machine, "a name, or the object that a machine file has",
                     R"({"type": ["string", "object"]})",
                     [](const Input& value) { return value.is_string() || value.is_object(); }},
    ParameterTypeRow{ParameterType::subscription, "the number of a subscription",
                     R"({"type": "integer", "minimum": 1})",
                     [](const Input& value) { return value.is_number_unsigned() && value != 0U; }},
    ParameterTypeRow{ParameterType::texts, "an object of strings",
                     R"({"type": "object", "additionalProperties": {"type": "string"}})", are_texts},
};

}  // namespace

const ParameterTypeRow& row_of(ParameterType type) {
  return *std::find_if(kParameterTypes.begin(), kParameterTypes.end(),
                       [&](const ParameterTypeRow& row) { return row.type == type; });
}

}  // namespace bulkhead
