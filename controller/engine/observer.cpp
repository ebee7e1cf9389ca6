// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/observer.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "controller/engine/kernel_words.h"
#include "controller/engine/targets.h"

namespace bulkhead {
namespace {

bool selects_processes(SelectKind kind) {
  return kind == SelectKind::exe || kind == SelectKind::comm || kind == SelectKind::pids ||
         kind == SelectKind::pidfile;
}

// Paths of all groups but the default one, monitoring groups after the control group whose threads they also
// list.
std::vector<std::string> group_paths(const std::vector<ObservedGroup>& groups) {
  std::vector<std::string> paths;
  for (const ObservedGroup& group : groups) {
    if (!group.name.empty()) paths.push_back(group.name);
    for (const ObservedMonitoringGroup& monitoring : group.monitoring) {
      paths.push_back(monitoring_path(group.name, monitoring.name));
    }
  }
  return paths;
}

}  // namespace

Observed Observer::observe(const std::vector<Service>& services, const Baseline& baseline) {
  Observed now;
  now.resctrl = groups_.usable();
  now.systemd = systemd_;
  now.cgroup_v1 = cgroups_.hierarchy().version == CgroupVersion::v1;
  if (now.resctrl) now.groups = groups_.observe();
  refresh_threads(now, services);
  if (cgroups_.hierarchy().version != CgroupVersion::none) observe_cgroups(now, baseline);
  return now;
}

Observer::GroupOfThread Observer::threads_of_groups(const Observed& now) {
  GroupOfThread groups;
  for (const std::string& path : group_paths(now.groups)) {
    for (const unsigned thread : groups_.tasks_of(path)) groups[thread] = path;
  }
  return groups;
}

void Observer::refresh_threads(Observed& now, const std::vector<Service>& services) {
  const GroupOfThread groups = now.resctrl ? threads_of_groups(now) : GroupOfThread{};
  now.group_threads.clear();
  for (const std::string& path : group_paths(now.groups)) {
    if (now.resctrl && is_our_path(path)) now.group_threads[path];
  }
  for (const auto& [thread, path] : groups) {
    if (is_our_path(path)) now.group_threads[path].push_back(thread);
  }
  for (auto& [path, threads] : now.group_threads) std::sort(threads.begin(), threads.end());
  now.services.clear();
  for (const Service& service : services) now.services.push_back(find_service(service, groups));
  if (now.resctrl) look_again_for_the_rest(now);
}

ObservedService Observer::find_service(const Service& service, const GroupOfThread& groups) {
  ObservedService observed{.service = service.name, .by_process = selects_processes(service.select.kind)};
  if (service.select.kind == SelectKind::others) {
    observed.found = true;
    return observed;
  }
  FoundService found = finder_.find(service.select);
  observed.found = found.found;
  observed.cgroups = std::move(found.cgroups);
  observed.processes = std::move(found.processes);
  for (const unsigned thread : found.threads) {
    const auto group = groups.find(thread);
    observed.thread_groups.emplace(thread, group == groups.end() ? "" : group->second);
  }
  return observed;
}

// A thread that was made after its group had been read is in no group that we know of, and so is one that has
// ended before. Read after the threads were listed, the groups know the former; the default group does not
// know the latter. Where nothing can be allocated the default group lists no thread at all.
void Observer::look_again_for_the_rest(Observed& now) {
  const bool all_known = std::all_of(now.services.begin(), now.services.end(), [](const auto& service) {
    return std::none_of(service.thread_groups.begin(), service.thread_groups.end(),
                        [](const auto& thread) { return thread.second.empty(); });
  });
  if (all_known) return;
  const std::vector<unsigned> in_default = groups_.tasks_of("");
  const GroupOfThread groups = threads_of_groups(now);
  for (ObservedService& service : now.services) {
    for (auto thread = service.thread_groups.begin(); thread != service.thread_groups.end();) {
      const auto group = groups.find(thread->first);
      if (thread->second.empty() && group != groups.end()) thread->second = group->second;
      const bool ended = thread->second.empty() && !in_default.empty() &&
                         !std::binary_search(in_default.begin(), in_default.end(), thread->first);
      thread = ended ? service.thread_groups.erase(thread) : std::next(thread);
    }
  }
}

std::vector<std::string> Observer::cgroups_around(const Observed& now) {
  std::set<std::string> services;
  for (const ObservedService& service : now.services) {
    services.insert(service.cgroups.begin(), service.cgroups.end());
  }
  // Every ancestor of a service's cgroup is opened up; all of its children are of interest.
  std::set<std::string> opened{"/"};
  for (const std::string& path : services) {
    for (const std::string& ancestor : ancestors_of(path)) opened.insert(ancestor);
  }
  for (const auto& [unit, idle] : now.idle_units) {
    for (const std::string& ancestor : ancestors_of(idle.path)) opened.insert(ancestor);
  }
  std::set<std::string> paths = services;
  for (const std::string& path : opened) {
    paths.insert(path);
    for (const std::string& child : cgroups_.children(path)) paths.insert(child);
  }
  return {paths.begin(), paths.end()};
}

void Observer::observe_cgroups(Observed& now, const Baseline& baseline) {
  std::vector<std::string> paths;
  for (const auto& [unit, limits] : baseline.units) {
    if (const auto path = cgroups_.cgroup_of(unit)) {
      paths.push_back(*path);
    } else if (auto idle = cgroups_.idle(unit)) {
      now.idle_units[unit] = std::move(*idle);
    }
  }
  for (const auto& [path, image] : baseline.cpusets) paths.push_back(path);
  for (std::string& path : cgroups_around(now)) paths.push_back(std::move(path));
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  now.cpusets = cgroups_.observe(paths);
  for (const ObservedCpuset& cpuset : now.cpusets) {
    if (cpuset.path.starts_with(kOwnCgroupPrefix))
      now.own_cgroups[cpuset.path] = finder_.processes_in(cpuset.path);
  }
  now.root_processes = finder_.processes_in("/");
  for (const ObservedService& service : now.services) {
    if (!service.by_process && !now.cgroup_v1) continue;
    for (const unsigned process : service.processes)
      now.process_cgroups[process] = finder_.cgroup_of(process);
  }
}

Tenants Observer::tenants(const Observed& now, const Baseline& baseline) {
  Tenants tenants;
  if (const ObservedGroup* group = now.find_group("")) tenants.default_group = group->schemata;
  for (const auto& [resource, values] : baseline.default_group) {
    for (const auto& [domain, value] : values) tenants.default_group[resource][domain] = value;
  }
  for (const ObservedGroup& group : now.groups) {
    if (group.ours()) continue;
    unsigned foreign_monitoring = 0;
    for (const ObservedMonitoringGroup& monitoring : group.monitoring) {
      if (group.name.empty() && is_our_group(monitoring.name)) continue;
      ++foreign_monitoring;
      if (group.name.empty()) tenants.monitored_cpus |= monitoring.cpus;
    }
    if (group.name.empty()) {
      tenants.default_monitoring_groups = foreign_monitoring;
      continue;
    }
    tenants.groups.push_back({.name = group.name,
                              .cpus = group.cpus,
                              .schemata = group.schemata,
                              .exclusive = group.exclusive,
                              .monitoring_groups = foreign_monitoring});
  }
  return tenants;
}

}  // namespace bulkhead
