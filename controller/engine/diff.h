// SPDX-License-Identifier: Apache-2.0
// Observed -> plan: the steps that are missing, in an order that is safe to do and to undo. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/base/error.h"
#include "controller/engine/state.h"
#include "controller/engine/targets.h"
#include "controller/planner/observed.h"
#include "controller/planner/plan.h"
#include "controller/planner/step.h"

namespace bulkhead {

// Steps in resctrl. Order: groups are made and sized before anything moves into them; who gives ways or CPUs
// up is written before who takes them; groups that are no longer wanted go last, unless their CLOSIDs are
// needed. A thread of a service that sits in a group of somebody else's is Error(conflict).
struct GroupSteps {
  std::vector<Step> prepare;  // make, size
  std::vector<Step> assign;   // CPUs, threads
  std::vector<Step> remove;
};
GroupSteps diff_groups(const Plan& plan, const Observed& now, const Baseline& baseline);

// Only the threads that are not in their group yet; for passes after the first.
std::vector<Step> diff_threads(const Plan& plan, const Observed& now);

// The resctrl path of a service's threads in this plan; "" is the default group.
std::string group_path_of(const Plan& plan, const std::string& service);

// Steps in the cgroup tree. Order: cpuset is enabled from the top down; partitions are dissolved, CPUs given
// up, CPUs taken, partitions made, processes moved in; what is no longer needed goes last.
std::vector<Step> diff_cpusets(const std::vector<CpusetTarget>& targets, const Observed& now,
                               const Baseline& baseline);

struct Diff {
  std::vector<Step> steps;  // all, in order
  std::vector<CpusetTarget> targets;
  std::vector<Error> objections;     // cgroups that are left to others
  std::vector<std::string> waiting;  // services whose selector matches nothing now
};
Diff diff(const Plan& plan, const Observed& now, const Baseline& baseline,
          Contested contested = Contested::refuse);

}  // namespace bulkhead
