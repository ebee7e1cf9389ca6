// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/planner.h"

#include <algorithm>

#include "controller/planner/bandwidth.h"
#include "controller/planner/cache_plan.h"
#include "controller/planner/cpu_choice.h"
#include "controller/planner/effects.h"
#include "controller/planner/group_ids.h"
#include "controller/planner/grouping.h"
#include "controller/planner/listed_cpus.h"
#include "controller/planner/refusal.h"
#include "controller/planner/wants.h"

namespace bulkhead {
namespace {

// The order in which a machine was described must not show in its plans.
Machine in_order(Machine machine) {
  const auto by_id = [](const auto& left, const auto& right) { return left.id < right.id; };
  std::sort(machine.ccds.begin(), machine.ccds.end(), by_id);
  std::sort(machine.nodes.begin(), machine.nodes.end(), by_id);
  std::sort(machine.sockets.begin(), machine.sockets.end(), by_id);
  std::erase_if(machine.cores, [](const Core& core) { return core.cpus.empty(); });
  std::sort(machine.cores.begin(), machine.cores.end(),
            [](const Core& left, const Core& right) { return left.cpus.front() < right.cpus.front(); });
  return machine;
}

class Planner {
 public:
  Planner(const Policy& policy, const Machine& machine, const Capabilities& capabilities,
          const Tenants& tenants)
      : policy_(policy), machine_(in_order(machine)), capabilities_(capabilities), tenants_(tenants) {}

  Plan make() {
    plan_.policy = policy_.name;
    plan_.machine = machine_.name;
    wants_ = resolve_wants(policy_, capabilities_);
    cpus_ = choose_cpus(policy_, wants_, machine_, tenants_);
    plan_cpusets();
    if (capabilities_.resctrl) {
      plan_groups();
    } else {
      plan_.notes.emplace_back(
          "no resctrl on this machine: services are confined to CPUs, nothing else is planned");
    }
    plan_.services = describe_effects(policy_, wants_, cpus_, plan_.groups, machine_, capabilities_);
    return std::move(plan_);
  }

 private:
  void plan_cpusets() {
    for (std::size_t index = 0; index < policy_.services.size(); ++index) {
      const Service& service = policy_.services[index];
      const CpuSet& cpus = cpus_.services[index];
      const CpuSet nodes = memory_nodes(service.memory, machine_, cpus, service.name);
      const bool chosen =
          service.cpus.choice == CpuChoice::listed || service.cpus.choice == CpuChoice::counted;
      if (!chosen && cpus == machine_.cpus && nodes.empty() && service.partition == Partition::member)
        continue;
      plan_.cpusets.push_back({.service = service.name,
                               .select = service.select,
                               .cpus = cpus,
                               .memory_nodes = nodes,
                               .partition = service.partition});
    }
    if (find_others(policy_) != nullptr || cpus_.exclusive.empty()) return;
    plan_.cpusets.push_back(
        {.service = "others", .select = {}, .cpus = cpus_.others, .memory_nodes = {}, .partition = {}});
  }

  void plan_groups() {
    const Grouping grouping = group_services(policy_, wants_, cpus_, machine_, capabilities_, tenants_);
    for (const GroupDraft& draft : grouping.named) require_ccds(draft);
    require_closids(grouping, policy_, machine_, capabilities_, tenants_);
    std::vector<Schemata> schemata =
        plan_cache(grouping, policy_, machine_, capabilities_, tenants_, plan_.notes);
    for (std::size_t index = 0; index < grouping.named.size(); ++index) {
      add_bandwidth(grouping.named[index], schemata[index]);
      add_group(grouping.named[index], std::move(schemata[index]));
    }
    if (grouping.default_group.bandwidth != nullptr) add_bandwidth(grouping.default_group, schemata.back());
    add_default_group(grouping.default_group, std::move(schemata.back()));
    require_rmids(plan_, policy_, capabilities_, tenants_);
  }

  void require_ccds(const GroupDraft& draft) {
    if (draft.l3 == nullptr) return;
    CpuSet without_l3 = draft.cpus;
    for (const Ccd& ccd : machine_.ccds) without_l3 -= ccd.cpus;
    if (draft.ccds.empty()) {
      refuse(ErrorCode::infeasible, draft.l3->place,
             owners(draft, policy_) + " wants a part of the L3, but " + name_cpus(draft.cpus) +
                 (draft.cpus.size() == 1 ? " is" : " are") + " in no L3 domain that can be allocated");
    }
    if (without_l3.empty()) return;
    add_note(plan_.notes, owners(draft, policy_) + ": " + name_cpus(without_l3) +
                              (without_l3.size() == 1 ? " has" : " have") +
                              " no L3, so l3 says nothing there");
  }

  void add_bandwidth(const GroupDraft& draft, Schemata& schemata) {
    const BandwidthAmount memory = draft.bandwidth == nullptr ? Unlimited{} : draft.bandwidth->memory;
    const BandwidthAmount slow =
        draft.bandwidth == nullptr ? Unlimited{} : draft.bandwidth->slow.value_or(Unlimited{});
    add_bandwidth(draft, Resource::memory_bandwidth, memory, capabilities_.memory, schemata);
    add_bandwidth(draft, Resource::slow_bandwidth, slow, capabilities_.slow, schemata);
  }

  void add_bandwidth(const GroupDraft& draft, Resource resource, const BandwidthAmount& amount,
                     const std::optional<BandwidthCapability>& capability, Schemata& schemata) {
    if (!capability || draft.ccds.empty()) return;
    const Place place = draft.bandwidth == nullptr ? Place{} : draft.bandwidth->place;
    const std::uint32_t value = plan_bandwidth(amount, *capability, capabilities_.ccd_bandwidth, place,
                                               owners(draft, policy_), plan_.notes);
    for (const CacheId ccd : draft.ccds) schemata[resource][ccd] = value;
  }

  ControlGroup group_of(const GroupDraft& draft, Schemata schemata) const {
    ControlGroup group{.name = draft.name,
                       .services = {},
                       .takes_cpus = draft.takes_cpus,
                       .cpus = draft.takes_cpus ? draft.cpus : CpuSet{},
                       .schemata = std::move(schemata),
                       .monitoring = {}};
    for (const std::size_t index : draft.services) group.services.push_back(policy_.services[index].name);
    return group;
  }

  void monitor(ControlGroup& group, std::size_t index) {
    const Service& service = policy_.services[index];
    if (!capabilities_.monitoring) {
      add_note(plan_.notes,
               "this machine does not count per group: services that share a group cannot be told apart");
      return;
    }
    group.monitoring.push_back({.name = std::string(kGroupPrefix) + service.name,
                                .service = service.name,
                                .cpus = group.takes_cpus ? cpus_.services[index] : CpuSet{}});
  }

  void add_group(const GroupDraft& draft, Schemata schemata) {
    ControlGroup group = group_of(draft, std::move(schemata));
    for (const std::size_t index : draft.services) {
      if (draft.services.size() > 1) monitor(group, index);
      note_intruders(policy_.services[index], group);
    }
    plan_.groups.push_back(std::move(group));
  }

  void note_intruders(const Service& service, const ControlGroup& group) {
    if (!group.takes_cpus || service.exclusive_cpus) return;
    add_note(plan_.notes, service.name +
                              ": its group takes CPUs that are not its alone, so whatever else runs there "
                              "gets and counts towards its cache and bandwidth");
  }

  void add_default_group(const GroupDraft& draft, Schemata schemata) {
    ControlGroup group = group_of(draft, std::move(schemata));
    for (const std::size_t index : draft.services) {
      const Service& service = policy_.services[index];
      if (service.select.kind != SelectKind::others) monitor(group, index);
      if (service.assign != Assign::cpus) continue;
      add_note(plan_.notes,
               service.name + ": it shares the default group, which takes no CPUs: its tasks are moved");
    }
    if (!group.schemata.empty() || !group.monitoring.empty()) plan_.groups.push_back(std::move(group));
  }

  const Policy& policy_;
  const Machine machine_;
  const Capabilities& capabilities_;
  const Tenants& tenants_;
  std::vector<Wants> wants_;
  CpuChoices cpus_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Policy& policy, const Machine& machine, const Capabilities& capabilities,
               const Tenants& tenants) {
  return Planner(policy, machine, capabilities, tenants).make();
}

}  // namespace bulkhead
