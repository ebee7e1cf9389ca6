// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_services.h"

namespace bulkhead {

std::string perf_cgroup_root(const std::vector<Mount>& mounts, const std::string& service_root) {
  constexpr const char* kController = "perf_event";
  bool is_v2 = false;
  for (const Mount& mount : mounts) {
    if (mount.type == "cgroup" && mount.has_option(kController))
      return mount.point == service_root ? service_root : "";
    is_v2 = is_v2 || (mount.type == "cgroup2" && mount.point == service_root);
  }
  return is_v2 ? service_root : "";
}

std::vector<PerfService> perf_services(const Plan& plan, const Observed& now,
                                       const std::string& cgroup_root) {
  std::vector<PerfService> services;
  for (const ServiceEffect& effect : plan.services) {
    PerfService service{.name = effect.service, .cgroups = {}, .threads = {}, .cpus = effect.cpus};
    service.cpus &= now.online_cpus;
    if (const ObservedService* found = now.find_service(effect.service)) {
      // A cgroup in which processes were found may hold others as well.
      if (!found->by_process && !cgroup_root.empty()) {
        for (const std::string& path : found->cgroups) service.cgroups.push_back(cgroup_root + path);
      }
      if (service.cgroups.empty()) {
        for (const auto& [thread, group] : found->thread_groups) service.threads.push_back(thread);
      }
    }
    services.push_back(std::move(service));
  }
  return services;
}

}  // namespace bulkhead
