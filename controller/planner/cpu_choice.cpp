// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/cpu_choice.h"

#include <array>

#include "controller/planner/counted_cpus.h"
#include "controller/planner/cpu_narrowing.h"
#include "controller/planner/listed_cpus.h"
#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

// In this order wants are served: those without a choice first, those that take what is left last.
enum class Turn { listed, all_exclusive, counted_exclusive, counted, rest_exclusive, rest, all };
constexpr std::array kTurns{Turn::listed,  Turn::all_exclusive,  Turn::counted_exclusive,
                            Turn::counted, Turn::rest_exclusive, Turn::rest,
                            Turn::all};

Turn turn_of(const Service& service) {
  switch (service.cpus.choice) {
    case CpuChoice::listed:
      return Turn::listed;
    case CpuChoice::counted:
      return service.exclusive_cpus ? Turn::counted_exclusive : Turn::counted;
    case CpuChoice::rest:
      return service.exclusive_cpus ? Turn::rest_exclusive : Turn::rest;
    case CpuChoice::all:
      break;
  }
  // Others move off the CPUs that are taken, whether or not the policy spells it "rest".
  if (service.select.kind == SelectKind::others) return Turn::rest;
  return service.exclusive_cpus ? Turn::all_exclusive : Turn::all;
}

class Chooser {
 public:
  Chooser(const Policy& policy, const std::vector<Wants>& wants, const Machine& machine,
          const Tenants& tenants)
      : policy_(policy), wants_(wants), machine_(machine), tenants_(tenants) {
    choices_.services.resize(policy.services.size());
  }

  CpuChoices choose() {
    for (const Turn turn : kTurns) {
      for (std::size_t index = 0; index < policy_.services.size(); ++index) {
        if (turn_of(policy_.services[index]) == turn) serve(index, turn);
      }
    }
    refuse_overlaps();
    choose_for_others();
    return std::move(choices_);
  }

 private:
  void serve(std::size_t index, Turn turn) {
    const Service& service = policy_.services[index];
    CpuSet cpus = narrow_cpus(service.cpus, machine_, broad_choice(index, turn), service.name);
    if (service.exclusive_cpus) choices_.exclusive |= cpus;
    choices_.services[index] = std::move(cpus);
  }

  CpuSet broad_choice(std::size_t index, Turn turn) const {
    const Service& service = policy_.services[index];
    switch (turn) {
      case Turn::listed:
        return listed_cpus(service.cpus, machine_, service.name);
      case Turn::counted_exclusive:
      case Turn::counted:
        return counted_cpus(service.cpus, machine_, holders(index), service.name);
      case Turn::rest_exclusive:
      case Turn::rest:
        return rest(service);
      case Turn::all_exclusive:
      case Turn::all:
        break;
    }
    return machine_.cpus;
  }

  // Who holds CPUs that the service must keep off: exclusive owners, for an exclusive asker everybody that
  // has its CPUs already, and for a group that takes CPUs also the foreign groups that did.
  std::vector<CpuHolder> holders(std::size_t asker) const {
    std::vector<CpuHolder> found;
    for (std::size_t index = 0; index < policy_.services.size(); ++index) {
      const Service& service = policy_.services[index];
      if (index == asker || choices_.services[index].empty()) continue;
      if (service.exclusive_cpus || policy_.services[asker].exclusive_cpus) {
        found.push_back({service.name, choices_.services[index]});
      }
    }
    if (wants_[asker].takes_cpus) {
      for (CpuHolder& holder : foreign_holders(tenants_, machine_.cpus)) found.push_back(std::move(holder));
    }
    return found;
  }

  std::vector<CpuHolder> exclusive_holders() const {
    std::vector<CpuHolder> found;
    for (std::size_t index = 0; index < policy_.services.size(); ++index) {
      if (policy_.services[index].exclusive_cpus && !choices_.services[index].empty()) {
        found.push_back({policy_.services[index].name, choices_.services[index]});
      }
    }
    return found;
  }

  CpuSet rest(const Service& service) const {
    CpuSet left = machine_.cpus - choices_.exclusive;
    if (left.empty()) {
      refuse(
          ErrorCode::infeasible, service.cpus.place,
          "no CPUs are left for " + service.name + ": " + name_holders(exclusive_holders()) + " exclusively");
    }
    return left;
  }

  void refuse_overlaps() const {
    for (std::size_t index = 0; index < policy_.services.size(); ++index) {
      for (std::size_t other = 0; other < policy_.services.size(); ++other) {
        const Service& holder = policy_.services[other];
        if (other == index || !holder.exclusive_cpus) continue;
        // Of two exclusive services the later one is the one to be told.
        if (policy_.services[index].exclusive_cpus && other > index) continue;
        const CpuSet shared = choices_.services[index] & choices_.services[other];
        if (!shared.empty()) refuse_overlap(index, holder, shared);
      }
    }
  }

  [[noreturn]] void refuse_overlap(std::size_t index, const Service& holder, const CpuSet& shared) const {
    const Service& service = policy_.services[index];
    std::string message = service.name + " wants " + describe(service.cpus) +
                          (service.cpus.choice == CpuChoice::all ? " CPUs" : "") + ", but " + holder.name +
                          " holds " + name_cpus(shared) + " exclusively";
    const CpuSet left = machine_.cpus - choices_.exclusive;
    if (service.cpus.choice == CpuChoice::all && !left.empty()) {
      message += "; \"rest\" would fit: " + name_cpus(left);
    }
    refuse(ErrorCode::infeasible, service.cpus.place, message);
  }

  void choose_for_others() {
    for (std::size_t index = 0; index < policy_.services.size(); ++index) {
      if (policy_.services[index].select.kind == SelectKind::others)
        choices_.others = choices_.services[index];
    }
    if (!choices_.others.empty()) return;
    choices_.others = machine_.cpus - choices_.exclusive;
    if (!choices_.others.empty()) return;
    for (const Service& service : policy_.services) {
      if (!service.exclusive_cpus) continue;
      refuse(ErrorCode::infeasible, service.cpus.place,
             "no CPUs are left for everything else on the host: " + name_holders(exclusive_holders()) +
                 " exclusively; leave at least one core to others");
    }
  }

  const Policy& policy_;
  const std::vector<Wants>& wants_;
  const Machine& machine_;
  const Tenants& tenants_;
  CpuChoices choices_;
};

}  // namespace

CpuChoices choose_cpus(const Policy& policy, const std::vector<Wants>& wants, const Machine& machine,
                       const Tenants& tenants) {
  return Chooser(policy, wants, machine, tenants).choose();
}

std::vector<CpuHolder> foreign_holders(const Tenants& tenants, const CpuSet& cpus) {
  std::vector<CpuHolder> found;
  for (const ForeignGroup& group : tenants.groups) {
    const CpuSet held = group.cpus & cpus;
    if (!held.empty()) found.push_back({"the foreign group '" + group.name + "'", held});
  }
  const CpuSet monitored = tenants.monitored_cpus & cpus;
  if (!monitored.empty()) found.push_back({"a foreign monitoring group", monitored});
  return found;
}

}  // namespace bulkhead
