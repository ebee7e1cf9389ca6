// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/effects.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/planner/bandwidth.h"
#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"
#include "controller/planner/way_amount.h"

namespace bulkhead {
namespace {

// Texts by CCD; equal ones are said once.
class PerCcd {
 public:
  void add(CacheId ccd, const std::string& text) {
    const auto known =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.text == text; });
    if (known == rows_.end()) {
      rows_.push_back({text, {ccd.value}});
    } else {
      known->ccds.insert(ccd.value);
    }
  }

  std::string text() const {
    if (rows_.size() == 1) return rows_.front().text;
    std::vector<std::string> parts;
    for (const Row& row : rows_) parts.push_back(row.text + " on " + name_ids("CCD", row.ccds));
    return join(parts, "; ");
  }

 private:
  struct Row {
    std::string text;
    CpuSet ccds;
  };
  std::vector<Row> rows_;
};

const std::uint64_t* find_value(const ControlGroup* group, Resource resource, CacheId ccd) {
  if (group == nullptr) return nullptr;
  const auto line = group->schemata.find(resource);
  if (line == group->schemata.end()) return nullptr;
  const auto value = line->second.find(ccd);
  return value == line->second.end() ? nullptr : &value->second;
}

std::string describe_mask(std::uint64_t bits, const Ccd& ccd, const CacheCapability& l3) {
  const WayMask mask{bits};
  return describe_ways(mask.count(), ccd, l3) + " (mask " + mask.to_hex() + ')';
}

std::string planned_l3(const ControlGroup* group, const std::vector<CacheId>& ccds, const Machine& machine,
                       const Capabilities& capabilities) {
  if (!capabilities.l3) return {};
  PerCcd texts;
  for (const CacheId id : ccds) {
    const Ccd* ccd = machine.find_ccd(id);
    const std::uint64_t* both = find_value(group, Resource::l3, id);
    const std::uint64_t* code = find_value(group, Resource::l3_code, id);
    const std::uint64_t* data = find_value(group, Resource::l3_data, id);
    if (ccd == nullptr) continue;
    if (both != nullptr) {
      texts.add(id, describe_mask(*both, *ccd, *capabilities.l3));
    } else if (code != nullptr && data != nullptr) {
      texts.add(id, "code " + describe_mask(*code, *ccd, *capabilities.l3) + ", data " +
                        describe_mask(*data, *ccd, *capabilities.l3));
    } else {
      texts.add(id, "unchanged");
    }
  }
  return texts.text();
}

std::string planned_bandwidth(const ControlGroup* group, const std::vector<CacheId>& ccds,
                              const Capabilities& capabilities) {
  if (!capabilities.memory || ccds.empty()) return {};
  PerCcd texts;
  for (const CacheId id : ccds) {
    const std::uint64_t* memory = find_value(group, Resource::memory_bandwidth, id);
    const std::uint64_t* slow = find_value(group, Resource::slow_bandwidth, id);
    std::string text = memory == nullptr ? "unchanged" : describe_bandwidth(*memory, *capabilities.memory);
    if (slow != nullptr && capabilities.slow && *slow != capabilities.slow->unlimited) {
      text += ", slow memory " + describe_bandwidth(*slow, *capabilities.slow);
    }
    texts.add(id, text);
  }
  return texts.text();
}

const ControlGroup* group_of(const std::string& service, const std::vector<ControlGroup>& groups) {
  for (const ControlGroup& group : groups) {
    if (std::find(group.services.begin(), group.services.end(), service) != group.services.end())
      return &group;
  }
  return nullptr;
}

std::string planned_cpus(const CpuSet& cpus, const std::vector<CacheId>& ccds) {
  CpuSet ids;
  for (const CacheId ccd : ccds) ids.insert(ccd.value);
  return name_cpus(cpus) + (ids.empty() ? std::string() : ": " + name_ids("CCD", ids));
}

}  // namespace

std::vector<ServiceEffect> describe_effects(const Policy& policy, const std::vector<Wants>& wants,
                                            const CpuChoices& cpus, const std::vector<ControlGroup>& groups,
                                            const Machine& machine, const Capabilities& capabilities) {
  std::vector<ServiceEffect> effects;
  for (std::size_t index = 0; index < policy.services.size(); ++index) {
    const Service& service = policy.services[index];
    const ControlGroup* group = group_of(service.name, groups);
    ServiceEffect effect;
    effect.service = service.name;
    effect.group = group == nullptr ? std::string() : group->name;
    effect.cpus = cpus.services[index];
    for (const Ccd& ccd : machine.ccds) {
      if (ccd.cpus.intersects(effect.cpus)) effect.ccds.push_back(ccd.id);
    }
    // The reader puts what was not said at the place of the service itself.
    if (service.cpus.place.pointer != service.place.pointer) effect.asked_cpus = describe(service.cpus);
    if (wants[index].l3 != nullptr) effect.asked_l3 = describe(*wants[index].l3);
    if (wants[index].bandwidth != nullptr) effect.asked_bandwidth = describe(*wants[index].bandwidth);
    effect.planned_cpus = planned_cpus(effect.cpus, effect.ccds);
    effect.planned_l3 = planned_l3(group, effect.ccds, machine, capabilities);
    effect.planned_bandwidth = planned_bandwidth(group, effect.ccds, capabilities);
    effect.exclusive_cpus = service.exclusive_cpus;
    effect.l3_exclusive = service.l3_exclusive;
    effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace bulkhead
