// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/thread_steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "controller/base/error.h"
#include "controller/engine/diff.h"
#include "controller/engine/kernel_words.h"

namespace bulkhead {
namespace {

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

std::string name_threads(const std::vector<unsigned>& threads) {
  constexpr std::size_t kNamed = 3;
  std::string text = threads.size() == 1 ? "thread " : "threads ";
  for (std::size_t index = 0; index < threads.size() && index < kNamed; ++index) {
    text += (index == 0 ? "" : ", ") + std::to_string(threads[index]);
  }
  if (threads.size() > kNamed) text += " and " + std::to_string(threads.size() - kNamed) + " more";
  return text;
}

bool is_of_others(const std::string& group) {
  return !group.empty() && !is_our_path(group);
}

std::vector<Error> threads_of_others(const ObservedService& service) {
  std::map<std::string, std::vector<unsigned>> by_group;
  for (const auto& [thread, group] : service.thread_groups) {
    if (is_of_others(group)) by_group[group].push_back(thread);
  }
  std::vector<Error> errors;
  for (const auto& [group, threads] : by_group) {
    const bool one = threads.size() == 1;
    errors.emplace_back(ErrorCode::conflict,
                        name_threads(threads) + " of service '" + service.service + (one ? "' is" : "' are") +
                            " in resctrl group '" + group +
                            "', which is not ours and is never touched: whoever made it must let the " +
                            (one ? "thread go, or the policy must not select it"
                                 : "threads go, or the policy must not select them"));
  }
  return errors;
}

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
    if (const std::vector<Error> errors = threads_of_others(service); !errors.empty()) throw errors.front();
    const std::string wanted = group_path_of(plan, service.service);
    Step step{.kind = StepKind::move_tasks, .target = wanted};
    for (const auto& [thread, group] : service.thread_groups) {
      if (!placed.insert(thread).second) continue;
      if (group == wanted) continue;
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

}  // namespace bulkhead
