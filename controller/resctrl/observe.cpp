// SPDX-License-Identifier: Apache-2.0
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/resctrl/group_files.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/resctrl_actuator.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

std::vector<ObservedMonitoringGroup> observe_monitoring(GroupFiles& groups,
                                                        const std::string& control_group) {
  std::vector<ObservedMonitoringGroup> found;
  const std::string folder = in_group(control_group, kMonitoringFolder);
  for (const std::string& name : groups.list(folder)) {
    const auto cpus = groups.read(folder + '/' + name, "cpus_list");
    if (cpus) found.push_back({.name = name, .cpus = CpuSet::parse_list(*cpus)});
  }
  return found;
}

// Appends the group, unless it is gone.
void observe_group(GroupFiles& groups, const std::string& name, std::vector<ObservedGroup>& found) {
  const auto schemata = groups.read(name, "schemata");
  const auto cpus = groups.read(name, "cpus_list");
  if (!schemata || !cpus) return;
  const std::string mode(trim(groups.read(name, "mode").value_or("")));
  found.push_back({.name = name,
                   .schemata = parse_schemata(*schemata),
                   .cpus = CpuSet::parse_list(*cpus),
                   .exclusive = mode == "exclusive" || mode.starts_with("pseudo-lock"),
                   .monitoring = observe_monitoring(groups, name)});
}

}  // namespace

std::vector<ObservedGroup> ResctrlActuator::observe() {
  std::vector<ObservedGroup> found;
  observe_group(groups(), "", found);
  for (const std::string& name : groups().list("")) observe_group(groups(), name, found);
  return found;
}

std::vector<ObservedGroup> ResctrlActuator::observe(const std::vector<std::string>& names) {
  std::vector<ObservedGroup> found;
  for (const std::string& name : names) observe_group(groups(), name, found);
  return found;
}

}  // namespace bulkhead
