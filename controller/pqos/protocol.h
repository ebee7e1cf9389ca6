// SPDX-License-Identifier: Apache-2.0
// The words between Bulkhead and its pqos helper: one JSON object a line, each request answered by one line.
//   {"call": "load"}
//   {"call": "init", "interface": "os"}                -> {"abilities": {...}}
//   {"call": "read"}                                   -> {"classes": [{"class", "schemata", "cpus"}]}
//   {"call": "write", "class": 1, "schemata": "L3:0=ff\n"}
//   {"call": "assign_cpus", "class": 1, "cpus": "0-3"}
//   {"call": "assign_tasks", "class": 1, "tasks": [4711]}
//   {"call": "prepare_counting", "folder": "/run/bulkhead"} -> {"lack": "..."}
//   {"call": "start_counting", "id": 1, "cpus": "0-3"}
//   {"call": "stop_counting", "id": 1}
//   {"call": "read_counts"}                            -> {"counts": [[1, 4096, "unavailable", 17]]}
// Without anything to tell the answer is {}; {"error": {"code", "message", "said"}} where it did not work.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "controller/base/error.h"
#include "controller/pqos/abilities.h"

namespace bulkhead::pqos_protocol {

nlohmann::ordered_json to_json(const PqosAbilities& abilities);
PqosAbilities abilities_from(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const std::vector<PqosClass>& classes);
std::vector<PqosClass> classes_from(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const std::vector<PqosCount>& counts);
std::vector<PqosCount> counts_from(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const Error& error);
Error error_from(const nlohmann::ordered_json& json);

}  // namespace bulkhead::pqos_protocol
