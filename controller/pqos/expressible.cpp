// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/expressible.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/base/way_mask.h"

namespace bulkhead {
namespace {

[[noreturn]] void refuse(const std::string& who, const std::string& why, const std::string& remedy) {
  throw Error(ErrorCode::infeasible, who + ": " + why + ": " + remedy + ", or use --actuator resctrl");
}

std::string who(const ControlGroup& group) {
  if (group.name.empty() && group.services.empty()) return "the default group";
  return (group.services.size() == 1 ? "service " : "services ") + join(group.services, ", ");
}

bool has_ways(Resource resource) {
  return resource == Resource::l3 || resource == Resource::l3_code || resource == Resource::l3_data;
}

void refuse_slow_memory(const ControlGroup& group) {
  if (!group.schemata.contains(Resource::slow_bandwidth)) return;
  refuse(who(group), "libpqos cannot limit slow memory", "leave \"slow\" out");
}

// Of masks of no ways the library says the same as of those with gaps.
void refuse_gaps(const std::string& name, const Schemata& schemata, const std::string& remedy) {
  for (const auto& [resource, masks] : schemata) {
    if (!has_ways(resource)) continue;
    for (const auto& [id, bits] : masks) {
      const WayMask mask{bits};
      if (!mask.empty() && mask.contiguous()) continue;
      refuse(name,
             "the mask " + mask.to_hex() + " of CCD " + to_string(id) +
                 (mask.empty() ? " has no way" : " has gaps") + ", and libpqos takes one run of ways only",
             remedy);
    }
  }
}

void refuse_monitoring(const ControlGroup& group) {
  if (group.monitoring.empty()) return;
  std::vector<std::string> services;
  for (const MonitoringGroup& one : group.monitoring) services.push_back(one.service);
  const std::string name = (services.size() == 1 ? "service " : "services ") + join(services, ", ");
  if (group.name.empty()) {
    refuse(name,
           "without a class of its own a service is counted in a monitoring group, which libpqos cannot make",
           "give it \"l3\" or \"bandwidth\"");
  }
  refuse(name, "services that share a class are counted in monitoring groups, which libpqos cannot make",
         "make them one service, or their wants different");
}

void refuse_tasks(const ControlGroup& group) {
  if (group.name.empty() || group.takes_cpus) return;
  refuse(who(group), "its threads would have to be assigned, and registers know CPUs only",
         "give it CPUs of its own (\"exclusive_cpus\")");
}

}  // namespace

void refuse_inexpressible(PqosInterface interface, const Plan& plan, const Observed& now) {
  for (const ControlGroup& group : plan.groups) {
    refuse_slow_memory(group);
    refuse_gaps(who(group), group.schemata, "ask for other ways");
    refuse_monitoring(group);
    if (interface == PqosInterface::msr) refuse_tasks(group);
  }
  const ObservedGroup* before = now.find_group("");
  if (plan.find_group("") == nullptr || before == nullptr) return;
  refuse_gaps("the default group as it is now", before->schemata,
              "it could not be given back: give it one run of ways first");
}

}  // namespace bulkhead
