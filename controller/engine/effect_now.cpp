// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/effect_now.h"

#include <algorithm>
#include <set>

#include "controller/base/text.h"
#include "controller/engine/diff.h"
#include "controller/resctrl/group_path.h"

namespace bulkhead {
namespace {

// The control groups that decide about a service's threads: the ones they are in, or where they are in none
// those that have its CPUs. Without threads: the one that its first thread will be in.
std::set<std::string> deciding_groups(const ServiceEffect& service, const ObservedService& observed,
                                      const Plan& plan, const Observed& now) {
  std::set<std::string> names;
  if (observed.thread_groups.empty()) {
    const std::string planned = control_group_of(group_path_of(plan, service.service));
    if (!planned.empty()) return {planned};
  }
  for (const auto& [thread, group] : observed.thread_groups) names.insert(control_group_of(group));
  if (!names.empty() && !names.contains("")) return names;
  CpuSet without_group = service.cpus;
  for (const ObservedGroup& group : now.groups) {
    if (group.name.empty() || !group.cpus.intersects(service.cpus)) continue;
    names.insert(group.name);
    without_group -= group.cpus;
  }
  if (without_group.empty()) {
    names.erase("");
  } else {
    names.insert("");
  }
  return names;
}

struct Bounds {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;

  bool empty() const { return least > most; }
  void take(std::uint64_t value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

template <class Amount>
Bounds bounds_of(const ServiceEffect& service, const std::set<std::string>& groups, const Observed& now,
                 Resource resource, Amount&& amount) {
  Bounds bounds;
  for (const std::string& name : groups) {
    const ObservedGroup* group = now.find_group(name);
    if (group == nullptr) continue;
    const auto values = group->schemata.find(resource);
    if (values == group->schemata.end()) continue;
    for (const CacheId ccd : service.ccds) {
      if (const auto value = values->second.find(ccd); value != values->second.end())
        bounds.take(amount(value->second));
    }
  }
  return bounds;
}

std::string ways_text(const Bounds& bounds, unsigned ways) {
  if (bounds.empty()) return {};
  std::string text = std::to_string(bounds.least);
  if (bounds.most != bounds.least) text += " to " + std::to_string(bounds.most);
  return text + " of " + counted(ways, "way");
}

std::string bandwidth_text(std::uint64_t value, const BandwidthCapability& memory) {
  if (value >= memory.unlimited) return "unlimited";
  constexpr std::uint64_t kEighthGb = 125'000'000;
  switch (memory.unit) {
    case BandwidthUnit::percent:
      return std::to_string(value) + '%';
    case BandwidthUnit::eighth_gb:
      return format_rate(value * kEighthGb);
    case BandwidthUnit::mib_per_second:
      return std::to_string(value) + " MiB/s";
  }
  return {};
}

std::string bandwidth_text(const Bounds& bounds, const BandwidthCapability& memory) {
  if (bounds.empty()) return {};
  const std::string least = bandwidth_text(bounds.least, memory);
  return bounds.least == bounds.most ? least : least + " to " + bandwidth_text(bounds.most, memory);
}

CpuSet effective_cpus(const std::vector<std::string>& cgroups, const Observed& now) {
  CpuSet cpus;
  for (const std::string& path : cgroups) {
    if (const ObservedCpuset* cpuset = now.find_cpuset(path)) cpus |= cpuset->effective_cpus;
  }
  return cpus;
}

// Cgroups right below the root that hold no service: those that "others" means.
std::vector<std::string> other_cgroups(const Observed& now) {
  std::vector<std::string> paths;
  for (const ObservedCpuset& cpuset : now.cpusets) {
    if (cpuset.path == "/" || cpuset.path.find('/', 1) != std::string::npos) continue;
    const auto holds = [&](const std::string& path) {
      return path == cpuset.path || is_below(path, cpuset.path);
    };
    const bool of_service =
        std::any_of(now.services.begin(), now.services.end(), [&](const ObservedService& service) {
          return std::any_of(service.cgroups.begin(), service.cgroups.end(), holds);
        });
    if (!of_service) paths.push_back(cpuset.path);
  }
  return paths;
}

bool is_others(const ServiceEffect& service, const std::vector<CpusetPlan>& cpusets) {
  return std::any_of(cpusets.begin(), cpusets.end(), [&](const CpusetPlan& cpuset) {
    return cpuset.service == service.service && cpuset.select.kind == SelectKind::others;
  });
}

}  // namespace

EffectNow effect_now(const ServiceEffect& service, const Plan& plan, const Observed& now,
                     const Capabilities& capabilities) {
  const ObservedService* observed = now.find_service(service.service);
  if (observed == nullptr || !observed->found) return {};
  const std::vector<std::string> cgroups =
      is_others(service, plan.cpusets) ? other_cgroups(now) : observed->cgroups;
  EffectNow effect{.cpus = effective_cpus(cgroups, now).to_list(), .threads = observed->thread_groups.size()};
  if (!now.resctrl) return effect;
  const std::set<std::string> groups = deciding_groups(service, *observed, plan, now);
  if (capabilities.l3) {
    const Resource resource = capabilities.cdp ? Resource::l3_data : Resource::l3;
    const auto count = [](std::uint64_t bits) { return std::uint64_t{WayMask{bits}.count()}; };
    effect.l3 = ways_text(bounds_of(service, groups, now, resource, count), capabilities.l3->ways());
  }
  if (capabilities.memory) {
    const auto same = [](std::uint64_t value) { return value; };
    effect.bandwidth = bandwidth_text(bounds_of(service, groups, now, Resource::memory_bandwidth, same),
                                      *capabilities.memory);
  }
  return effect;
}

}  // namespace bulkhead
