// SPDX-License-Identifier: Apache-2.0
#include "controller/host/counter_json.h"

#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

Json numbers_json(const std::map<CacheId, unsigned>& numbers) {
  Json object = Json::object();
  for (const auto& [ccd, number] : numbers) object[to_string(ccd)] = number;
  return object;
}

Json codes_json(const std::vector<PmuEvent>& events) {
  Json object = Json::object();
  for (const PmuEvent& event : events) object[event.name] = event.code;
  return object;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json assignment_json(const MonitoringInfo& info) {
  if (info.assign_mode.empty()) return nullptr;
  return {{"mode", info.assign_mode},
          {"modes", info.assign_modes},
          {"counters", numbers_json(info.counters)},
          {"available", numbers_json(info.available)}};
}

Json perf_json(const CounterFacts& counters) {
  const Pmu& pmu = counters.pmu;
  Json lacking = Json::array();
  for (const std::string& lack : {pmu.service_lack, pmu.ccd_lack}) {
    if (!lack.empty()) lacking.push_back(lack);
  }
  for (const std::string& refusal : counters.refusals) lacking.push_back(refusal);
  return {{"services", codes_json(pmu.service_events)},
          {"ccds", codes_json(pmu.ccd_events)},
          {"perf_event_paranoid", or_null(pmu.paranoid)},
          {"lacking", std::move(lacking)}};
}

}  // namespace

Json counters_json(const CounterFacts& counters) {
  Json json = Json::object();
  const auto& info = counters.monitoring;
  json["events"] = info ? Json(info->events) : Json::array();
  json["rmids"] = nullptr;
  json["assignment"] = nullptr;
  if (info) {
    json["rmids"] = {{"all", info->rmids},
                     {"held", counters.held_rmids},
                     {"reuse_threshold_bytes", or_null(info->reuse_threshold)}};
    json["assignment"] = assignment_json(*info);
  }
  json["configurable"] = info ? Json(info->configurable) : Json::array();
  json["summed"] = info && info->summed;
  json["perf"] = perf_json(counters);
  return json;
}

}  // namespace bulkhead
