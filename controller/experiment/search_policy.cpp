// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_policy.h"

#include <algorithm>

namespace bulkhead {
namespace {

[[noreturn]] void refuse(const Policy& base, const std::string& service, const std::string& why) {
  throw Error(ErrorCode::invalid, "policy '" + base.name + "', service '" + service + "': " + why);
}

// The amount is of both code and data then: a search knows one kind of ways.
void set_ways(Service& service, unsigned ways) {
  CacheWant want = service.l3.value_or(CacheWant{});
  want.data = Ways{ways};
  want.code.reset();
  service.l3 = std::move(want);
}

void set_bandwidth(Service& service, const BandwidthAmount& amount) {
  BandwidthWant want = service.bandwidth.value_or(BandwidthWant{});
  want.memory = amount;
  service.bandwidth = std::move(want);
}

}  // namespace

Policy policy_at(const Policy& base, const std::string& service, const SearchPoint& point) {
  Policy policy = base;
  const auto varied = std::find_if(policy.services.begin(), policy.services.end(),
                                   [&](const Service& one) { return one.name == service; });
  if (varied == policy.services.end()) {
    throw Error(ErrorCode::invalid, "policy '" + base.name + "' has no service '" + service + "' to vary");
  }
  if ((point.ways || point.bandwidth) && !varied->service_class.empty()) {
    refuse(base, service,
           "its cache and bandwidth are those of class '" + varied->service_class +
               "', which others share; a search needs them at the service itself");
  }
  if (point.ccds) {
    if (varied->cpus.choice != CpuChoice::counted || varied->cpus.scope != CpuScope::ccds) {
      refuse(base, service, R"(a search over CCDs needs "cpus": {"count": {"ccds": N}})");
    }
    varied->cpus.count = *point.ccds;
  }
  if (point.threads_per_core) varied->cpus.threads_per_core = point.threads_per_core;
  if (point.ways) set_ways(*varied, *point.ways);
  if (point.bandwidth) set_bandwidth(*varied, *point.bandwidth);
  policy.name = base.name + "-" + service;
  policy.summary = service + ": " + describe(point);
  return policy;
}

}  // namespace bulkhead
