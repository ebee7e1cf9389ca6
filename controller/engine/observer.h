// SPDX-License-Identifier: Apache-2.0
// Looks at the host for what a policy is about.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cgroup/cgroup_actuator.h"
#include "cgroup/service_finder.h"
#include "controller/engine/state.h"
#include "controller/planner/observed.h"
#include "controller/planner/planner.h"
#include "controller/resctrl/group_actuator.h"
#include "policies/policy.h"

namespace bulkhead {

class Observer {
 public:
  // All must outlive the observer.
  Observer(GroupActuator& groups, CgroupActuator& cgroups, ServiceFinder& finder, bool systemd)
      : groups_(groups), cgroups_(cgroups), finder_(finder), systemd_(systemd) {}

  // Everything, for a policy's services and for what `baseline` says we once changed.
  Observed observe(const std::vector<Service>& services, const Baseline& baseline);

  // The services' threads and the groups they are in, again.
  void refresh_threads(Observed& now, const std::vector<Service>& services);

  // Groups that are not ours, for the planner.
  static Tenants tenants(const Observed& now, const Baseline& baseline);

 private:
  using GroupOfThread = std::unordered_map<unsigned, std::string>;  // its path; not of the default group

  GroupOfThread threads_of_groups(const Observed& now);
  ObservedService find_service(const Service& service, const GroupOfThread& groups);
  void look_again_for_the_rest(Observed& now);
  void observe_cgroups(Observed& now, const Baseline& baseline);
  std::vector<std::string> cgroups_around(const Observed& now);

  GroupActuator& groups_;
  CgroupActuator& cgroups_;
  ServiceFinder& finder_;
  bool systemd_;
};

}  // namespace bulkhead
