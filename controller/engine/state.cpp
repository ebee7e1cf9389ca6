// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cgroup/hierarchy.h"
#include "controller/base/error.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStateFile = "state.json";
constexpr int kStateVersion = 1;
constexpr std::string_view kUnreadable =
    "the state file is damaged: what stood before the first apply is not known any more. To go on without it "
    "remove the file; `bulkhead reset` then removes all groups of ours, but cannot bring back what cgroups "
    "had";

// Whether one of `targets` is `path` or lies below it.
bool holds_a_target(const std::string& path, const std::vector<std::string>& targets) {
  const std::string below = path == "/" ? "/" : path + '/';
  return std::any_of(targets.begin(), targets.end(),
                     [&](const std::string& target) { return target == path || target.starts_with(below); });
}

void put(Json& json, const char* key, const std::optional<std::string>& text) {
  if (text) json[key] = *text;
}

std::optional<std::string> take(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::nullopt : std::optional(found->get<std::string>());
}

Json to_json(const Baseline& baseline) {
  Json json;
  json["default_group"] = render_schemata_change({}, baseline.default_group);
  json["cpusets"] = Json::object();
  for (const auto& [path, image] : baseline.cpusets) {
    Json& entry = json["cpusets"][path] = Json::object();
    put(entry, "cpus", image.cpus);
    put(entry, "mems", image.memory_nodes);
    put(entry, "partition", image.partition);
  }
  json["units"] = baseline.units;
  json["enabled"] = baseline.enabled;
  json["made"] = Json::object();
  for (const auto& [path, processes] : baseline.made) {
    Json& entry = json["made"][path] = Json::object();
    for (const auto& [process, origin] : processes) entry[origin].push_back(process);
  }
  json["memory_unlimited"] = baseline.memory_unlimited;
  json["slow_unlimited"] = baseline.slow_unlimited;
  return json;
}

Baseline baseline_from(const Json& json) {
  Baseline baseline;
  baseline.default_group = parse_schemata(json.at("default_group").get<std::string>());
  for (const auto& [path, entry] : json.at("cpusets").items()) {
    baseline.cpusets[path] = {.cpus = take(entry, "cpus"),
                              .memory_nodes = take(entry, "mems"),
                              .partition = take(entry, "partition")};
  }
  baseline.units = json.at("units").get<std::map<std::string, std::string>>();
  baseline.enabled = json.at("enabled").get<std::vector<std::string>>();
  for (const auto& [path, origins] : json.at("made").items()) {
    auto& processes = baseline.made[path];
    for (const auto& [origin, ids] : origins.items()) {
      for (const Json& id : ids) processes.emplace(id.get<unsigned>(), origin);
    }
  }
  baseline.memory_unlimited = json.at("memory_unlimited").get<std::uint32_t>();
  baseline.slow_unlimited = json.at("slow_unlimited").get<std::uint32_t>();
  return baseline;
}

}  // namespace

void Baseline::remember(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case StepKind::write_schemata:
        if (step.target.empty()) default_group = merged(parse_schemata(step.before), default_group);
        break;
      case StepKind::write_cpuset_cpus:
        if (auto& cpus = cpusets[step.target].cpus; !cpus) cpus = step.before;
        break;
      case StepKind::write_cpuset_mems:
        if (auto& mems = cpusets[step.target].memory_nodes; !mems) mems = step.before;
        break;
      case StepKind::write_partition:
        if (auto& partition = cpusets[step.target].partition; !partition) partition = step.before;
        break;
      case StepKind::set_unit:
        units.emplace(step.target, step.before);
        break;
      case StepKind::enable_cpuset:
        if (std::find(enabled.begin(), enabled.end(), step.target) == enabled.end()) {
          enabled.push_back(step.target);
        }
        break;
      case StepKind::make_cgroup:
        made.try_emplace(step.target);
        break;
      case StepKind::move_processes:
        // Into a cgroup of ours, whoever made it; back to where they were is no news.
        if (step.target.starts_with(kOwnCgroupPrefix)) {
          made[step.target].insert(step.tasks.begin(), step.tasks.end());
        }
        break;
      default:
        break;
    }
  }
}

void Baseline::keep_only(const std::vector<std::string>& targets, const Schemata& planned) {
  const auto is_target = [&](const std::string& name) {
    return std::find(targets.begin(), targets.end(), name) != targets.end();
  };
  std::erase_if(cpusets, [&](const auto& entry) { return !is_target(entry.first); });
  std::erase_if(units, [&](const auto& entry) { return !is_target(entry.first); });
  std::erase_if(made, [&](const auto& entry) { return !is_target(entry.first); });
  std::erase_if(enabled, [&](const std::string& path) { return !holds_a_target(path, targets); });
  Schemata kept;
  for (const auto& [resource, values] : default_group) {
    const auto found = planned.find(resource);
    if (found == planned.end()) continue;
    for (const auto& [domain, value] : values) {
      if (found->second.contains(domain)) kept[resource][domain] = value;
    }
  }
  default_group = std::move(kept);
}

State read_state(const Store& store) {
  const auto text = store.read(kStateFile);
  if (!text) return {};
  try {
    const Json json = Json::parse(*text);
    if (json.at("bulkhead_state") != kStateVersion) {
      throw Error(ErrorCode::refused, "the state is of another version of bulkhead");
    }
    return {.transaction = json.at("transaction").get<std::string>(),
            .generation = json.at("generation").get<std::uint64_t>(),
            .policy_text = json.at("policy_text").get<std::string>(),
            .policy_file = json.at("policy_file").get<std::string>(),
            .applied_at = json.at("applied_at").get<std::string>(),
            .ccd_bandwidth = json.at("ccd_bandwidth").get<std::uint64_t>(),
            .actuator = json.value("actuator", "resctrl"),
            .classes = json.value("classes", GroupClasses{}),
            .attached = json.value("attached", Attached{}),
            .baseline = baseline_from(json.at("baseline")),
            .baseline_lost = json.value("baseline_lost", false)};
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorDetail{.code = ErrorCode::refused,
                            .message = std::string(kUnreadable),
                            .path = store.directory() + '/' + kStateFile});
  }
}

void write_state(Store& store, const State& state) {
  const Json json{{"bulkhead_state", kStateVersion},      {"transaction", state.transaction},
                  {"generation", state.generation},       {"policy_file", state.policy_file},
                  {"applied_at", state.applied_at},       {"ccd_bandwidth", state.ccd_bandwidth},
                  {"actuator", state.actuator},           {"classes", state.classes},
                  {"attached", state.attached},           {"baseline", to_json(state.baseline)},
                  {"baseline_lost", state.baseline_lost}, {"policy_text", state.policy_text}};
  store.replace(kStateFile, json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

std::string set_aside_state(Store& store) {
  return store.set_aside(kStateFile);
}

void remove_state(Store& store) {
  store.remove(kStateFile);
}

}  // namespace bulkhead
