// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/overlaps.h"

#include <algorithm>
#include <map>

#include "controller/base/error.h"
#include "controller/engine/targets.h"

namespace bulkhead {
namespace {

const Service& find_service(const Policy& policy, const std::string& name) {
  return *std::find_if(policy.services.begin(), policy.services.end(),
                       [&](const Service& service) { return service.name == name; });
}

[[noreturn]] void refuse(const Policy& policy, const std::string& service, std::string message) {
  const Place& place = find_service(policy, service).place;
  throw Error(ErrorDetail{.code = ErrorCode::infeasible,
                          .message = std::move(message),
                          .line = place.line,
                          .column = place.column,
                          .pointer = place.pointer});
}

class Overlaps {
 public:
  Overlaps(const Policy& policy, const Observed& now) : policy_(policy), now_(now) {}

  void add_tasks(const ObservedService& service) {
    for (const unsigned process : service.processes) claim(processes_, "process ", process, service.service);
    for (const auto& [thread, group] : service.thread_groups)
      claim(threads_, "thread ", thread, service.service);
  }

  void add_trees(const ObservedService& service) {
    if (needs_own_cgroup(find_service(policy_, service.service).select, service, now_)) return;
    for (const std::string& path : service.cgroups) claim_tree(path, service.service);
  }

 private:
  void claim(std::map<unsigned, std::string>& owners, const char* kind, unsigned id,
             const std::string& service) {
    const auto [owner, fresh] = owners.emplace(id, service);
    if (fresh) return;
    refuse(policy_, service,
           kind + std::to_string(id) + " is selected by both '" + owner->second + "' and '" + service +
               "', and can only be in one group: select them apart");
  }

  void claim_tree(const std::string& path, const std::string& service) {
    for (const auto& [other, owner] : trees_) {
      if (owner == service) continue;
      if (path == other) {
        refuse(policy_, service,
               "cgroup " + path + " is selected by both '" + owner + "' and '" + service + '\'');
      }
      if (is_below(path, other)) refuse_nested(path, service, other, owner, service);
      if (is_below(other, path)) refuse_nested(other, owner, path, service, service);
    }
    trees_.emplace(path, service);
  }

  [[noreturn]] void refuse_nested(const std::string& inner, const std::string& inner_service,
                                  const std::string& outer, const std::string& outer_service,
                                  const std::string& later) {
    refuse(policy_, later,
           "cgroup " + inner + " of '" + inner_service + "' lies inside of " + outer + ", all of which is '" +
               outer_service + "': select cgroups that lie beside each other");
  }

  const Policy& policy_;
  const Observed& now_;
  std::map<unsigned, std::string> processes_, threads_;
  std::map<std::string, std::string> trees_;
};

}  // namespace

void refuse_overlaps(const Policy& policy, const Observed& now) {
  Overlaps overlaps(policy, now);
  // Cgroups first: that two of them lie in one another says more than which process is in both.
  for (const ObservedService& service : now.services) overlaps.add_trees(service);
  for (const ObservedService& service : now.services) overlaps.add_tasks(service);
}

}  // namespace bulkhead
