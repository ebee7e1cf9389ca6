// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/grouping.h"

#include <algorithm>
#include <set>

#include "controller/planner/refusal.h"

namespace bulkhead {
namespace {

std::vector<CacheId> ccds_of(const CpuSet& cpus, const Machine& machine, const Capabilities& capabilities) {
  std::vector<CacheId> found;
  for (const Ccd& ccd : machine.ccds) {
    const bool allocated = capabilities.domains.empty() ||
                           std::find(capabilities.domains.begin(), capabilities.domains.end(), ccd.id) !=
                               capabilities.domains.end();
    if (allocated && ccd.cpus.intersects(cpus)) found.push_back(ccd.id);
  }
  return found;
}

// What was not said is the same as unlimited.
BandwidthAmount memory_of(const BandwidthWant* want) {
  return want == nullptr ? Unlimited{} : want->memory;
}
BandwidthAmount slow_of(const BandwidthWant* want) {
  return want == nullptr || !want->slow ? BandwidthAmount(Unlimited{}) : *want->slow;
}

bool same_cache(const CacheWant* left, const CacheWant* right) {
  if (left == nullptr || right == nullptr) return left == right;
  return left->data == right->data && left->code == right->code;
}

bool may_share(const GroupDraft& left, const GroupDraft& right) {
  return !left.l3_exclusive && !right.l3_exclusive && left.takes_cpus == right.takes_cpus &&
         left.ccds == right.ccds && same_cache(left.l3, right.l3) &&
         memory_of(left.bandwidth) == memory_of(right.bandwidth) &&
         slow_of(left.bandwidth) == slow_of(right.bandwidth);
}

GroupDraft draft_of(std::size_t index, const Service& service, const Wants& wants, const CpuSet& cpus) {
  return {.name = {},
          .services = {index},
          .l3 = wants.l3,
          .bandwidth = wants.bandwidth,
          .l3_exclusive = service.l3_exclusive,
          .takes_cpus = wants.takes_cpus,
          .cpus = cpus,
          .ccds = {}};
}

// A shared group is named after the class if that is one and the name is free, else after the first service.
void name_groups(std::vector<GroupDraft>& groups, const Policy& policy) {
  std::set<std::string> names;
  for (const Service& service : policy.services) names.insert(service.name);
  for (GroupDraft& group : groups) {
    const Service& first = policy.services[group.services.front()];
    const bool one_class = std::all_of(group.services.begin(), group.services.end(), [&](std::size_t index) {
      return policy.services[index].service_class == first.service_class;
    });
    std::string name = first.name;
    if (group.services.size() > 1 && one_class && !first.service_class.empty() &&
        names.insert(first.service_class).second) {
      name = first.service_class;
    }
    group.name = std::string(kGroupPrefix) + name;
  }
}

void refuse_taken_cpus(const Policy& policy, const std::vector<Wants>& wants, const CpuChoices& cpus,
                       const Tenants& tenants) {
  for (std::size_t index = 0; index < wants.size(); ++index) {
    if (!wants[index].takes_cpus) continue;
    const Service& service = policy.services[index];
    const Place& place = service.assign == Assign::cpus ? service.assign_place : service.cpus.place;
    std::vector<CpuHolder> holders = foreign_holders(tenants, cpus.services[index]);
    for (std::size_t other = 0; other < index; ++other) {
      const CpuSet shared = cpus.services[other] & cpus.services[index];
      if (wants[other].takes_cpus && !shared.empty())
        holders.push_back({policy.services[other].name, shared});
    }
    if (holders.empty()) continue;
    refuse(ErrorCode::infeasible, place,
           service.name + " cannot take " + name_cpus(cpus.services[index]) +
               " into its control group: " + name_holders(holders) + "; \"assign\": \"tasks\" would fit");
  }
}

}  // namespace

Grouping group_services(const Policy& policy, const std::vector<Wants>& wants, const CpuChoices& cpus,
                        const Machine& machine, const Capabilities& capabilities, const Tenants& tenants) {
  refuse_taken_cpus(policy, wants, cpus, tenants);
  Grouping grouping;
  grouping.default_group.cpus = cpus.others;
  for (std::size_t index = 0; index < wants.size(); ++index) {
    const Service& service = policy.services[index];
    GroupDraft draft = draft_of(index, service, wants[index], cpus.services[index]);
    draft.ccds = ccds_of(draft.cpus, machine, capabilities);
    if (!wants[index].own_group) {
      GroupDraft& group = grouping.default_group;
      group.services.push_back(index);
      group.cpus |= draft.cpus;
      if (service.select.kind != SelectKind::others) continue;
      group.l3 = draft.l3;
      group.bandwidth = draft.bandwidth;
      group.l3_exclusive = draft.l3_exclusive;
      continue;
    }
    const auto shared = std::find_if(grouping.named.begin(), grouping.named.end(),
                                     [&](const GroupDraft& group) { return may_share(group, draft); });
    if (shared == grouping.named.end()) {
      grouping.named.push_back(std::move(draft));
    } else {
      shared->services.push_back(index);
      shared->cpus |= draft.cpus;
    }
  }
  grouping.default_group.ccds = ccds_of(grouping.default_group.cpus, machine, capabilities);
  name_groups(grouping.named, policy);
  return grouping;
}

std::string owners(const GroupDraft& group, const Policy& policy) {
  if (group.name.empty()) {
    const Service* others = find_others(policy);
    return others == nullptr ? "others" : others->name;
  }
  std::vector<std::string> names;
  for (const std::size_t index : group.services) names.push_back(policy.services[index].name);
  return names.size() == 1 ? names.front() : "the group of " + in_words(names);
}

}  // namespace bulkhead
