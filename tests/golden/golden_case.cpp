// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/golden_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/planner/plan_json.h"
#include "controller/planner/planner.h"
#include "controller/topology/machine_file.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

const fs::path kRoot = BULKHEAD_SOURCE_DIR;
const fs::path kCases = kRoot / "tests/golden/cases";

std::string read_file(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Host host_of(const Json& machine) {
  return machine.is_string() ? load_machine(machine) : read_machine_file(machine.dump(2), "in place");
}

Policy policy_of(const Json& policy) {
  if (policy.is_string()) return require_policy(read_file(kRoot / policy.get<std::string>()), "policy");
  return require_policy(policy.dump(2), "policy");
}

ForeignGroup foreign_group(const Json& json) {
  ForeignGroup group;
  group.name = json.at("name");
  group.cpus = CpuSet::parse_list(json.value("cpus", ""));
  group.exclusive = json.value("exclusive", false);
  group.monitoring_groups = json.value("monitoring_groups", 0U);
  const Json masks = json.value("l3", Json::object());
  for (const auto& [ccd, mask] : masks.items()) {
    const CacheId id{parse_integer<unsigned>(ccd).value()};
    group.schemata[Resource::l3][id] = WayMask::parse(mask.get<std::string>()).value().bits;
  }
  return group;
}

Tenants tenants_of(const Json& json) {
  Tenants tenants;
  for (const Json& group : json.value("groups", Json::array()))
    tenants.groups.push_back(foreign_group(group));
  tenants.monitored_cpus = CpuSet::parse_list(json.value("monitored_cpus", ""));
  tenants.default_monitoring_groups = json.value("default_monitoring_groups", 0U);
  return tenants;
}

// Pretty, but what is nested deeper than an entry of a list stays on one line: twelve CCDs are one line.
void print(const Json& json, int depth, std::string& text) {
  constexpr int kOneLineFrom = 3;
  if (!json.is_structured() || json.empty() || depth == kOneLineFrom) {
    text += json.dump();
    return;
  }
  const std::string indent(static_cast<std::size_t>(depth + 1) * 2, ' ');
  text += json.is_array() ? "[" : "{";
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    text += separator + indent;
    if (json.is_object()) text += Json(key).dump() + ": ";
    print(value, depth + 1, text);
    separator = ",\n";
  }
  text += '\n' + indent.substr(2) + (json.is_array() ? "]" : "}");
}

}  // namespace

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    if (entry.path().extension() == ".case") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_golden(const std::string& name, const std::string& ending) {
  return read_file(kCases / (name + ending));
}

void write_golden(const std::string& name, const std::string& ending, const std::string& text) {
  std::ofstream(kCases / (name + ending)) << text;
}

std::string plan_golden(const std::string& name) {
  const Json golden = Json::parse(read_golden(name, ".case"), nullptr, true, true);
  const Host host = host_of(golden.at("machine"));
  const Policy policy = policy_of(golden.at("policy"));
  try {
    const Plan plan = make_plan(policy, host.machine, host.capabilities,
                                tenants_of(golden.value("tenants", Json::object())));
    std::string text;
    print(to_json(plan, "resctrl", {}), 0, text);
    return text + '\n';
  } catch (const Error& error) {
    return "error " + std::string(to_string(error.code())) + " at " + error.detail().pointer + ": " +
           error.detail().message + '\n';
  }
}

}  // namespace bulkhead
