// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/contested.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/engine/kernel_words.h"
#include "controller/engine/targets.h"
#include "controller/engine/thread_steps.h"

namespace bulkhead {
namespace {

// How many ways of those that our groups have now this one has, too, on all CCDs.
unsigned ways_of_ours(const ForeignGroup& group, const std::vector<ObservedGroup>& groups) {
  unsigned ways = 0;
  for (const auto& [resource, masks] : group.schemata) {
    if (!holds_ways(resource)) continue;
    for (const auto& [domain, mask] : masks) {
      WayMask ours;
      for (const ObservedGroup& other : groups) {
        const auto values = other.schemata.find(resource);
        if (!other.ours() || values == other.schemata.end() || !values->second.contains(domain)) continue;
        ours = ours | WayMask{values->second.at(domain)};
      }
      ways += (ours & WayMask{mask}).count();
    }
  }
  return ways;
}

// The services whose cgroups are all theirs.
std::vector<ObservedService*> owners_of_trees(const std::vector<Service>& services, Observed& now) {
  std::vector<ObservedService*> owners;
  for (ObservedService& service : now.services) {
    const auto wanted = std::find_if(services.begin(), services.end(),
                                     [&](const Service& each) { return each.name == service.service; });
    if (wanted != services.end() && !needs_own_cgroup(wanted->select, service, now)) {
      owners.push_back(&service);
    }
  }
  return owners;
}

}  // namespace

std::vector<Error> leave_contested(const std::vector<Service>& services, Observed& now) {
  const std::vector<ObservedService*> owners = owners_of_trees(services, now);
  std::set<std::string> taken, all;
  for (const ObservedService* owner : owners) all.insert(owner->cgroups.begin(), owner->cgroups.end());
  for (ObservedService* owner : owners) {
    std::erase_if(owner->cgroups, [&](const std::string& path) {
      const auto holds = [&](const std::string& outer) {
        const bool own =
            std::find(owner->cgroups.begin(), owner->cgroups.end(), outer) != owner->cgroups.end();
        return is_below(path, outer) && !own;
      };
      return std::any_of(all.begin(), all.end(), holds) || !taken.insert(path).second;
    });
  }
  std::vector<Error> left;
  std::set<unsigned> processes, threads;
  for (ObservedService& service : now.services) {
    std::erase_if(service.processes, [&](unsigned process) { return !processes.insert(process).second; });
    std::erase_if(service.thread_groups,
                  [&](const auto& thread) { return !threads.insert(thread.first).second; });
    for (Error& error : threads_of_others(service)) left.push_back(std::move(error));
    std::erase_if(service.thread_groups, [](const auto& thread) { return is_of_others(thread.second); });
  }
  return left;
}

Tenants undisputed(const Tenants& tenants, const Observed& now,
                   const std::function<bool(const Tenants&)>& fits) {
  if (fits(tenants)) return tenants;
  Tenants kept{.default_group = tenants.default_group};
  if (!fits(kept)) kept = {};
  const auto add = [&](const auto& change) {
    Tenants more = kept;
    change(more);
    if (!fits(more)) return false;
    kept = std::move(more);
    return true;
  };
  std::vector<std::pair<unsigned, const ForeignGroup*>> groups;
  for (const ForeignGroup& group : tenants.groups) {
    groups.emplace_back(group.exclusive ? 0 : 1 + ways_of_ours(group, now.groups), &group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  for (const auto& ranked : groups) {
    const ForeignGroup* const group = ranked.second;
    if (add([&](Tenants& more) { more.groups.push_back(*group); })) continue;
    ForeignGroup ways = *group;  // what it claims may be CPUs alone
    ways.cpus = {};
    add([&](Tenants& more) { more.groups.push_back(ways); });
  }
  add([&](Tenants& more) { more.monitored_cpus = tenants.monitored_cpus; });
  add([&](Tenants& more) { more.default_monitoring_groups = tenants.default_monitoring_groups; });
  return kept;
}

}  // namespace bulkhead
