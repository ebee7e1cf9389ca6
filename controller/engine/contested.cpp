// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/contested.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "controller/engine/kernel_words.h"
#include "controller/engine/targets.h"

namespace bulkhead {
namespace {

bool is_of_others(const std::string& group) {
  return !group.empty() && !is_our_path(group);
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

void leave_contested(const std::vector<Service>& services, Observed& now) {
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
  std::set<unsigned> processes, threads;
  for (ObservedService& service : now.services) {
    std::erase_if(service.processes, [&](unsigned process) { return !processes.insert(process).second; });
    std::erase_if(service.thread_groups, [&](const auto& thread) {
      return !threads.insert(thread.first).second || is_of_others(thread.second);
    });
  }
}

}  // namespace bulkhead
