// SPDX-License-Identifier: Apache-2.0
#include "policies/diagnostics_json.h"

#include <nlohmann/json.hpp>

namespace bulkhead {

nlohmann::ordered_json diagnostics_json(const std::string& file, const std::vector<Diagnostic>& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    list.push_back({{"file", file},
                    {"line", diagnostic.place.line},
                    {"column", diagnostic.place.column},
                    {"pointer", diagnostic.place.pointer},
                    {"message", diagnostic.message}});
  }
  return list;
}

}  // namespace bulkhead
