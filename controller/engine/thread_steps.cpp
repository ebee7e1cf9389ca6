// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/thread_steps.h"

#include <algorithm>
#include <set>

#include "controller/base/error.h"
#include "controller/engine/diff.h"
#include "controller/engine/kernel_words.h"

namespace bulkhead {
namespace {

void check_origin(const std::string& service, unsigned thread, const std::string& group) {
  if (group.empty() || is_our_path(group)) return;
  throw Error(ErrorCode::conflict,
              "thread " + std::to_string(thread) + " of service '" + service + "' is in resctrl group '" +
                  group +
                  "', which is not ours and is never touched: whoever made it must let the "
                  "thread go, or the policy must not select it");
}

// The member of `group` for `service`, if it has threads of its own to hold.
const ControlGroup* group_of(const Plan& plan, const std::string& service) {
  for (const ControlGroup& group : plan.groups) {
    for (const std::string& name : group.services) {
      if (name == service) return &group;
    }
  }
  return nullptr;
}

// Whether a thread in this group that no service selects is out of place.
bool is_closed(const Plan& plan, const Observed& now, const std::string& path) {
  bool planned = false;
  for (const ControlGroup& group : plan.groups) {
    planned = planned || (!group.name.empty() && group.name == path);
    for (const MonitoringGroup& monitoring : group.monitoring)
      planned = planned || path.ends_with('/' + monitoring.name);
  }
  if (!planned) return false;
  return std::none_of(now.services.begin(), now.services.end(), [&](const ObservedService& service) {
    return service.by_process && group_path_of(plan, service.service) == path;
  });
}

}  // namespace

std::vector<unsigned> threads_in(const Observed& now, const std::string& group) {
  const auto found = now.group_threads.find(group);
  return found == now.group_threads.end() ? std::vector<unsigned>{} : found->second;
}

std::string group_path_of(const Plan& plan, const std::string& service) {
  const ControlGroup* group = group_of(plan, service);
  // A group that takes CPUs leaves threads in the default group: a thread in any other group would keep that
  // group's class wherever it ran.
  if (group == nullptr || group->takes_cpus) return "";
  for (const MonitoringGroup& monitoring : group->monitoring) {
    if (monitoring.service != service) continue;
    return monitoring_path(group->name, monitoring.name);
  }
  return group->name;
}

std::vector<Step> diff_threads(const Plan& plan, const Observed& now) {
  std::vector<Step> steps;
  std::set<unsigned> placed;  // wanted where they are, or moved by a step already
  for (const ObservedService& service : now.services) {
    if (group_of(plan, service.service) == nullptr) continue;
    const std::string wanted = group_path_of(plan, service.service);
    Step step{.kind = StepKind::move_tasks, .target = wanted};
    for (const auto& [thread, group] : service.thread_groups) {
      if (!placed.insert(thread).second) continue;
      if (group == wanted) continue;
      check_origin(service.service, thread, group);
      step.tasks.emplace(thread, group);
    }
    if (!step.tasks.empty()) steps.push_back(std::move(step));
  }
  // Threads that nobody selects any more leave the groups that stay; groups that go drop theirs by
  // themselves.
  Step leaving{.kind = StepKind::move_tasks, .target = ""};
  for (const auto& [group, threads] : now.group_threads) {
    if (!is_closed(plan, now, group)) continue;
    for (const unsigned thread : threads) {
      if (placed.insert(thread).second) leaving.tasks.emplace(thread, group);
    }
  }
  if (!leaving.tasks.empty()) steps.push_back(std::move(leaving));
  return steps;
}

void leave_alone(std::vector<Step>& steps, const std::set<unsigned>& threads) {
  if (threads.empty()) return;
  std::erase_if(steps, [&](Step& step) {
    if (step.kind != StepKind::move_tasks) return false;
    std::erase_if(step.tasks, [&](const auto& task) { return threads.contains(task.first); });
    return step.tasks.empty();
  });
}

}  // namespace bulkhead
