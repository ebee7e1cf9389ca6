// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/counters_document.h"

#include <nlohmann/json.hpp>

#include "controller/resctrl/group_path.h"

namespace bulkhead {

std::vector<std::string> services_of(const std::string& group, const Plan& plan) {
  const std::string control_group = control_group_of(group);
  std::vector<std::string> services;
  if (is_monitoring_path(group)) {
    const ControlGroup* control = plan.find_group(control_group);
    for (const MonitoringGroup& monitoring :
         control == nullptr ? std::vector<MonitoringGroup>{} : control->monitoring) {
      if (group.ends_with('/' + monitoring.name)) services.push_back(monitoring.service);
    }
    return services;
  }
  for (const ServiceEffect& service : plan.services) {
    if (service.group == control_group) services.push_back(service.service);
  }
  return services;
}

nlohmann::ordered_json counters_document(const Snapshot& counters, const Verification* found, WallTime at,
                                         const std::string& uncounted) {
  using Json = nlohmann::ordered_json;
  Json groups = Json::array();
  for (const GroupCounters& group : counters.groups) {
    Json entry = counters_json(group, counters.events);
    entry["services"] = found == nullptr ? std::vector<std::string>{} : services_of(group.path, found->plan);
    groups.push_back(std::move(entry));
  }
  Json summed = Json::array();
  for (const CacheId ccd : counters.summed) summed.push_back(ccd.value);
  return {{"time", precise_utc_text(at)},
          {"policy", found == nullptr ? Json() : Json(found->policy)},
          {"holds", found == nullptr ? Json() : Json(found->findings.empty())},
          {"groups", std::move(groups)},
          {"summed_ccds", std::move(summed)},
          {"uncounted", uncounted.empty() ? Json() : Json(uncounted)}};
}

}  // namespace bulkhead
