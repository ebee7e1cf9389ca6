// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/wants.h"

#include "controller/base/text.h"
#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

// What resctrl allocates here, for the message that something else is missing.
std::string allocated_here(const Capabilities& capabilities) {
  if (!capabilities.resctrl) {
    return "resctrl is not there; `bulkhead doctor` says whether the processor lacks it or it is not mounted";
  }
  std::vector<std::string> names;
  if (capabilities.l3) names.emplace_back("L3");
  if (capabilities.l2) names.emplace_back("L2");
  if (capabilities.memory) names.emplace_back("memory bandwidth");
  if (capabilities.slow) names.emplace_back("slow memory bandwidth");
  if (!names.empty()) return "resctrl allocates " + in_words(names) + " only";
  return capabilities.monitoring ? "resctrl only monitors" : "resctrl allocates nothing";
}

void require_l3(const CacheWant& want, const std::string& service, const Capabilities& capabilities) {
  if (!capabilities.resctrl || !capabilities.l3) {
    refuse(ErrorCode::unsupported, want.place,
           service + " wants " + describe(want) +
               " of the L3, which this machine cannot allocate: " + allocated_here(capabilities));
  }
  if (want.code && !capabilities.cdp) {
    refuse(ErrorCode::unsupported, want.place,
           service +
               " wants code and data apart, but resctrl is mounted without CDP: mount resctrl with -o cdp");
  }
}

void require_bandwidth(const BandwidthWant& want, const std::string& service,
                       const Capabilities& capabilities) {
  if (is_limited(want.memory) && !(capabilities.resctrl && capabilities.memory)) {
    refuse(ErrorCode::unsupported, want.place,
           service + " wants " + describe(want.memory) +
               " of memory bandwidth, which this machine cannot limit: " + allocated_here(capabilities));
  }
  if (want.slow && is_limited(*want.slow) && !(capabilities.resctrl && capabilities.slow)) {
    refuse(ErrorCode::unsupported, want.place,
           service + " wants " + describe(*want.slow) +
               " of slow memory, which this machine cannot limit: " + allocated_here(capabilities));
  }
}

Wants wants_of(const Service& service, const Policy& policy, const Capabilities& capabilities) {
  Wants wants;
  const ServiceClass* its_class =
      service.service_class.empty() ? nullptr : policy.find_class(service.service_class);
  if (its_class != nullptr) {
    if (its_class->l3) wants.l3 = &*its_class->l3;
    if (its_class->bandwidth) wants.bandwidth = &*its_class->bandwidth;
  }
  if (service.l3) wants.l3 = &*service.l3;
  if (service.bandwidth) wants.bandwidth = &*service.bandwidth;
  if (wants.l3 != nullptr) require_l3(*wants.l3, service.name, capabilities);
  if (wants.bandwidth != nullptr) require_bandwidth(*wants.bandwidth, service.name, capabilities);
  if (service.l3_exclusive && !(capabilities.resctrl && capabilities.l3)) {
    refuse(ErrorCode::unsupported, service.l3_exclusive_place,
           service.name + " wants ways of the L3 for itself, which this machine cannot allocate: " +
               allocated_here(capabilities));
  }
  return wants;
}

}  // namespace

bool is_limited(const BandwidthAmount& amount) {
  return !std::holds_alternative<Unlimited>(amount);
}

const Service* find_others(const Policy& policy) {
  for (const Service& service : policy.services) {
    if (service.select.kind == SelectKind::others) return &service;
  }
  return nullptr;
}

std::vector<Wants> resolve_wants(const Policy& policy, const Capabilities& capabilities) {
  std::vector<Wants> all;
  bool others_want = false;
  for (const Service& service : policy.services) {
    all.push_back(wants_of(service, policy, capabilities));
    const Wants& wants = all.back();
    if (service.select.kind == SelectKind::others) {
      others_want = wants.l3 != nullptr || wants.bandwidth != nullptr || service.l3_exclusive;
    }
  }
  for (std::size_t index = 0; index < all.size(); ++index) {
    const Service& service = policy.services[index];
    Wants& wants = all[index];
    if (service.select.kind == SelectKind::others || capabilities.closids() == 0) continue;
    // Where the default group is limited, a service that said nothing must not be limited with it.
    wants.own_group = others_want || wants.l3 != nullptr || wants.bandwidth != nullptr ||
                      service.l3_exclusive || !service.service_class.empty();
    wants.takes_cpus = wants.own_group && (service.assign == Assign::cpus ||
                                           (service.assign == Assign::automatic && service.exclusive_cpus));
  }
  return all;
}

}  // namespace bulkhead
