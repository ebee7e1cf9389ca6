// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/bounds.h"

#include <algorithm>
#include <bit>
#include <set>

namespace bulkhead {
namespace {

std::optional<std::uint64_t> value_of(const ControlGroup& group, Resource resource, CacheId ccd) {
  const auto values = group.schemata.find(resource);
  if (values == group.schemata.end()) return std::nullopt;
  const auto value = values->second.find(ccd);
  return value == values->second.end() ? std::nullopt : std::optional(value->second);
}

std::optional<std::uint64_t> capacity(const ControlGroup& group, CacheId ccd, const Machine& machine,
                                      const Capabilities& capabilities) {
  const Ccd* cache = machine.find_ccd(ccd);
  if (cache == nullptr || !capabilities.l3 || capabilities.l3->ways() == 0) return std::nullopt;
  std::optional<std::uint64_t> mask;
  for (const Resource resource : {Resource::l3, Resource::l3_code, Resource::l3_data}) {
    if (const auto part = value_of(group, resource, ccd)) mask = mask.value_or(0) | *part;
  }
  if (!mask) return std::nullopt;
  return cache->l3_bytes / capabilities.l3->ways() * static_cast<std::uint64_t>(std::popcount(*mask));
}

std::optional<std::uint64_t> limit(const ControlGroup& group, CacheId ccd, const Capabilities& capabilities) {
  const auto value = value_of(group, Resource::memory_bandwidth, ccd);
  if (!value || !capabilities.memory || *value >= capabilities.memory->unlimited) return std::nullopt;
  switch (capabilities.memory->unit) {
    case BandwidthUnit::eighth_gb:
      return *value * 125'000'000;
    case BandwidthUnit::mib_per_second:
      return *value << 20;
    case BandwidthUnit::percent:
      break;
  }
  if (capabilities.ccd_bandwidth == 0) return std::nullopt;
  return capabilities.ccd_bandwidth / 100 * *value;
}

// Where a service of the group may run.
std::set<CacheId> ccds_of(const ControlGroup& group, const Plan& plan) {
  std::set<CacheId> ccds;
  for (const std::string& name : group.services) {
    if (const ServiceEffect* service = plan.find_service(name)) {
      ccds.insert(service->ccds.begin(), service->ccds.end());
    }
  }
  return ccds;
}

}  // namespace

std::vector<Bound> bounds_of(const Plan& plan, const Machine& machine, const Capabilities& capabilities) {
  std::vector<Bound> bounds;
  for (const ControlGroup& group : plan.groups) {
    for (const CacheId ccd : ccds_of(group, plan)) {
      Bound bound{.group = group.name,
                  .services = group.services,
                  .ccd = ccd,
                  .occupancy = capacity(group, ccd, machine, capabilities),
                  .bandwidth = limit(group, ccd, capabilities)};
      if (bound.occupancy || bound.bandwidth) bounds.push_back(std::move(bound));
    }
  }
  return bounds;
}

}  // namespace bulkhead
