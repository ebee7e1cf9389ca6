// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/seen_cgroups.h"

#include <algorithm>

#include "controller/engine/targets.h"

namespace bulkhead {
namespace {

bool is_configured_alike(const ObservedCpuset& one, const ObservedCpuset& other) {
  return one.controlled == other.controlled && one.cpus == other.cpus &&
         one.memory_nodes == other.memory_nodes && one.partition == other.partition;
}

// The cgroup that a step is about.
std::string path_of(const Step& step, const Observed& now) {
  if (step.kind != StepKind::set_unit) return step.target;
  const auto found = std::find_if(now.cpusets.begin(), now.cpusets.end(),
                                  [&](const ObservedCpuset& cgroup) { return cgroup.unit == step.target; });
  return found == now.cpusets.end() ? std::string() : found->path;
}

std::map<std::string, ObservedCpuset> by_path(const Observed& now) {
  std::map<std::string, ObservedCpuset> cgroups;
  for (const ObservedCpuset& cgroup : now.cpusets) cgroups.emplace(cgroup.path, cgroup);
  return cgroups;
}

bool belongs_to_any(const std::string& path, const std::set<std::string>& services, const Observed& now) {
  return std::any_of(now.services.begin(), now.services.end(), [&](const ObservedService& service) {
    return services.contains(service.service) &&
           std::find(service.cgroups.begin(), service.cgroups.end(), path) != service.cgroups.end();
  });
}

}  // namespace

void SeenCgroups::remember(const Verification& found) {
  cgroups_ = by_path(found.now);
  differed_ = things_of(found.steps);
  for (const Step& step : found.steps) {
    for (const std::string& thing : things_of(step)) {
      if (is_resctrl(step.kind) || differed_at_first_.contains(thing)) continue;
      const std::string path = path_of(step, found.now);
      differed_.erase(thing);
      cgroups_.erase(path);
      if (const auto before = at_first_.find(path); before != at_first_.end()) cgroups_.insert(*before);
    }
  }
  remembers_ = true;
}

bool SeenCgroups::is_news(const std::string& path, const std::string& thing, const Observed& now,
                          const std::set<std::string>& restarted) const {
  const auto before = cgroups_.find(path);
  if (before == cgroups_.end() || belongs_to_any(path, restarted, now)) return true;
  const ObservedCpuset* const cgroup = now.find_cpuset(path);
  return cgroup != nullptr && is_configured_alike(before->second, *cgroup) && !differed_.contains(thing);
}

Things SeenCgroups::news(const Verification& found, const std::set<std::string>& restarted) {
  at_first_ = by_path(found.now);
  differed_at_first_ = things_of(found.steps);
  Things fresh;
  if (!remembers_) return fresh;
  std::set<std::string> paths;
  for (const Step& step : found.steps) {
    if (is_resctrl(step.kind) || step.kind == StepKind::enable_cpuset ||
        step.kind == StepKind::move_processes) {
      continue;
    }
    const std::string path = path_of(step, found.now);
    for (const std::string& thing : things_of(step)) {
      if (path.empty() || !is_news(path, thing, found.now, restarted)) continue;
      fresh.insert(thing);
      paths.insert(path);
    }
  }
  // Without cpuset files there is nothing to be written.
  for (const Step& step : found.steps) {
    const auto is_parent = [&](const std::string& path) { return is_below(path, step.target); };
    if (step.kind == StepKind::enable_cpuset && std::any_of(paths.begin(), paths.end(), is_parent))
      fresh.merge(things_of(step));
  }
  return fresh;
}

}  // namespace bulkhead
