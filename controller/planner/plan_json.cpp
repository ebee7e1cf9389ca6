// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/plan_json.h"

#include <array>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

struct ResourceKey {
  Resource resource;
  const char* key;
  bool is_mask;
};

constexpr std::array kResources{
    ResourceKey{Resource::l3, "l3", true},
    ResourceKey{Resource::l3_code, "l3_code", true},
    ResourceKey{Resource::l3_data, "l3_data", true},
    ResourceKey{Resource::memory_bandwidth, "mb", false},
    ResourceKey{Resource::slow_bandwidth, "smba", false},
};

struct SelectKey {
  SelectKind kind;
  const char* key;
};

constexpr std::array kSelects{
    SelectKey{SelectKind::unit, "unit"}, SelectKey{SelectKind::cgroup, "cgroup"},
    SelectKey{SelectKind::exe, "exe"},   SelectKey{SelectKind::comm, "comm"},
    SelectKey{SelectKind::pids, "pids"}, SelectKey{SelectKind::pidfile, "pidfile"},
};

constexpr std::array kPartitions{"member", "root", "isolated"};

Json values_json(const DomainValues& values, bool is_mask) {
  Json by_ccd = Json::object();
  for (const auto& [ccd, value] : values) {
    by_ccd[to_string(ccd)] = is_mask ? Json(WayMask{value}.to_hex()) : Json(value);
  }
  return by_ccd;
}

Json group_json(const ControlGroup& group) {
  Json json{{"name", group.name},
            {"services", group.services},
            {"assign", group.takes_cpus ? "cpus" : "tasks"},
            {"cpus", group.cpus.to_list()}};
  for (const ResourceKey& row : kResources) {
    const auto line = group.schemata.find(row.resource);
    if (line != group.schemata.end()) json[row.key] = values_json(line->second, row.is_mask);
  }
  Json monitoring = Json::array();
  for (const MonitoringGroup& member : group.monitoring) {
    monitoring.push_back(
        {{"name", member.name}, {"service", member.service}, {"cpus", member.cpus.to_list()}});
  }
  json["monitoring"] = std::move(monitoring);
  return json;
}

Json cpuset_json(const CpusetPlan& cpuset) {
  Json json{{"service", cpuset.service}};
  if (cpuset.select.kind == SelectKind::others) json["others"] = true;
  for (const SelectKey& row : kSelects) {
    if (row.kind != cpuset.select.kind) continue;
    json[row.key] = row.kind == SelectKind::pids ? Json(cpuset.select.pids) : Json(cpuset.select.text);
  }
  json["cpus"] = cpuset.cpus.to_list();
  json["mems"] = cpuset.memory_nodes.to_list();
  json["partition"] = kPartitions.at(static_cast<std::size_t>(cpuset.partition));
  return json;
}

Json effect_json(const ServiceEffect& effect) {
  CpuSet ccds;
  for (const CacheId ccd : effect.ccds) ccds.insert(ccd.value);
  Json asked{{"cpus", effect.asked_cpus}, {"l3", effect.asked_l3}, {"bandwidth", effect.asked_bandwidth}};
  Json planned{{"cpus", effect.cpus.to_list()},
               {"cpu_count", effect.cpus.size()},
               {"ccds", ccds.to_list()},
               {"l3", effect.planned_l3},
               {"bandwidth", effect.planned_bandwidth}};
  return {{"service", effect.service},
          {"group", effect.group},
          {"exclusive_cpus", effect.exclusive_cpus},
          {"l3_exclusive", effect.l3_exclusive},
          {"asked", std::move(asked)},
          {"planned", std::move(planned)}};
}

}  // namespace

Json to_json(const Plan& plan, const std::string& actuator, const std::vector<std::string>& waiting) {
  Json groups = Json::array();
  for (const ControlGroup& group : plan.groups) groups.push_back(group_json(group));
  Json cpusets = Json::array();
  for (const CpusetPlan& cpuset : plan.cpusets) cpusets.push_back(cpuset_json(cpuset));
  Json effective = Json::array();
  for (const ServiceEffect& effect : plan.services) effective.push_back(effect_json(effect));
  return {{"policy", plan.policy},
          {"machine", plan.machine},
          {"actuator", actuator},
          {"groups", std::move(groups)},
          {"cpusets", std::move(cpusets)},
          {"effective", std::move(effective)},
          {"waiting", waiting},
          {"notes", plan.notes}};
}

}  // namespace bulkhead
