// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/group_ids.h"

#include "controller/base/text.h"
#include "controller/planner/group_merging.h"
#include "controller/planner/refusal.h"

namespace bulkhead {
namespace {

std::string foreign_closids(const Tenants& tenants) {
  if (tenants.groups.empty()) return {};
  std::vector<std::string> names;
  for (const ForeignGroup& group : tenants.groups) names.push_back('\'' + group.name + '\'');
  if (names.size() == 1) return ", the foreign group " + names.front() + " holds one";
  return ", the foreign groups " + in_words(names) + " hold one each";
}

}  // namespace

void require_closids(const Grouping& grouping, const Policy& policy, const Machine& machine,
                     const Capabilities& capabilities, const Tenants& tenants) {
  const std::size_t taken = 1 + tenants.groups.size();
  const std::size_t closids = capabilities.closids();
  const std::size_t free = closids > taken ? closids - taken : 0;
  if (grouping.named.size() <= free) return;
  const GroupDraft& homeless = grouping.named[free];
  const Service& service = policy.services[homeless.services.front()];
  refuse(ErrorCode::infeasible, service.place,
         service.name + " needs control group " + std::to_string(free + 1) + " of the " +
             std::to_string(grouping.named.size()) + " of this policy, but " +
             (free == 0 ? "none is free"
                        : "only " + std::to_string(free) + (free == 1 ? " is" : " are") + " free") +
             ": " + machine.name + " has " + counted(closids, "CLOSID") + ", one is the default group's" +
             foreign_closids(tenants) + "; " + describe_merge(grouping, policy, machine, capabilities, free));
}

void require_rmids(const Plan& plan, const Policy& policy, const Capabilities& capabilities,
                   const Tenants& tenants) {
  if (!capabilities.monitoring) return;
  std::size_t foreign = tenants.default_monitoring_groups;
  for (const ForeignGroup& group : tenants.groups) foreign += 1 + group.monitoring_groups;
  std::size_t needed = 0;
  for (const ControlGroup& group : plan.groups) {
    needed += (group.name.empty() ? 0 : 1) + group.monitoring.size();
  }
  const std::size_t rmids = capabilities.monitoring->rmids;
  if (1 + foreign + needed <= rmids || needed == 0) return;
  const Place place = policy.services.empty() ? Place{} : policy.services.front().place;
  refuse(ErrorCode::infeasible, place,
         "the policy needs " + counted(needed, "RMID") + " for its groups, but " + plan.machine + " has " +
             std::to_string(rmids) + ": one is the default group's" +
             (foreign == 0 ? std::string() : ", foreign groups hold " + std::to_string(foreign)) +
             "; fewer services would fit");
}

}  // namespace bulkhead
