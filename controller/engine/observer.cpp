// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/observer.h"

#include <algorithm>
#include <set>
#include <unordered_map>

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
  now.resctrl = resctrl_.mounted();
  now.systemd = systemd_;
  now.cgroup_v1 = cgroups_.hierarchy().version == CgroupVersion::v1;
  if (now.resctrl) now.groups = resctrl_.observe();
  refresh_threads(now, services);
  if (cgroups_.hierarchy().version != CgroupVersion::none) observe_cgroups(now, baseline);
  return now;
}

void Observer::refresh_threads(Observed& now, const std::vector<Service>& services) {
  std::unordered_map<unsigned, std::string> group_of_thread;
  now.group_threads.clear();
  if (now.resctrl) {
    for (const std::string& path : group_paths(now.groups)) {
      for (const unsigned thread : resctrl_.tasks_of(path)) group_of_thread[thread] = path;
      if (is_our_path(path)) now.group_threads[path];
    }
    for (const auto& [thread, path] : group_of_thread) {
      if (is_our_path(path)) now.group_threads[path].push_back(thread);
    }
    for (auto& [path, threads] : now.group_threads) std::sort(threads.begin(), threads.end());
  }
  now.services.clear();
  for (const Service& service : services) {
    ObservedService observed{.service = service.name, .by_process = selects_processes(service.select.kind)};
    if (service.select.kind == SelectKind::others) {
      observed.found = true;
    } else {
      FoundService found = finder_.find(service.select);
      observed.found = found.found;
      observed.cgroups = std::move(found.cgroups);
      observed.processes = std::move(found.processes);
      for (const unsigned thread : found.threads) {
        const auto group = group_of_thread.find(thread);
        observed.thread_groups.emplace(thread, group == group_of_thread.end() ? "" : group->second);
      }
    }
    now.services.push_back(std::move(observed));
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
  std::set<std::string> paths = services;
  for (const std::string& path : opened) {
    paths.insert(path);
    for (const std::string& child : cgroups_.children(path)) paths.insert(child);
  }
  return {paths.begin(), paths.end()};
}

void Observer::observe_cgroups(Observed& now, const Baseline& baseline) {
  std::vector<std::string> paths = cgroups_around(now);
  for (const auto& [path, image] : baseline.cpusets) paths.push_back(path);
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
