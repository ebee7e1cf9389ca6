// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/resctrl_state.h"

#include <algorithm>
#include <limits>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

unsigned cache_id(const CpuPlace& place, unsigned level) {
  return level == 2 ? place.l2 : place.l3;
}

// What the kernel takes for "unlimited".
unsigned largest_bandwidth(const KernelShape& shape, const BandwidthShape& bandwidth) {
  constexpr unsigned kOfLinux61OnAmd = 2048;
  const bool fixed = !bandwidth.percent && shape.generation == Generation::linux_6_1;
  return fixed ? kOfLinux61OnAmd : bandwidth.max;
}

}  // namespace

CpuSet ResctrlState::domains(unsigned level) const {
  CpuSet found;
  for (const CpuPlace& place : world_.shape.cpus) {
    if (world_.online.contains(place.cpu)) found.insert(cache_id(place, level));
  }
  return found;
}

unsigned ResctrlState::domain_of(unsigned level, unsigned cpu) const {
  for (const CpuPlace& place : world_.shape.cpus) {
    if (place.cpu == cpu) return cache_id(place, level);
  }
  return 0;
}

std::uint64_t ResctrlState::default_value(const Schema& schema) const {
  if (schema.cache != nullptr) return schema.full_mask();
  if (has_option("mba_MBps")) return std::numeric_limits<std::uint32_t>::max();
  return largest_bandwidth(world_.shape, *schema.bandwidth);
}

std::uint64_t ResctrlState::value_of(const Group& group, const Schema& schema, unsigned domain) const {
  const auto values = group.values.find(schema.name);
  if (values == group.values.end()) return 0;
  const auto value = values->second.find(domain);
  return value == values->second.end() ? 0 : value->second;
}

bool ResctrlState::overlaps(const Group& group, const Schema& schema, unsigned domain, std::uint64_t mask,
                            bool exclusive_only) const {
  if (!exclusive_only && (schema.cache->shareable_mask & mask) != 0) return true;
  const auto collides = [&](const Group& other) {
    if (&other == &group) return false;
    if (exclusive_only && other.mode != GroupMode::exclusive) return false;
    std::uint64_t held = value_of(other, schema, domain);
    if (!schema.half.empty()) {
      Schema half = schema;
      half.name = schema.half;
      held |= value_of(other, half, domain);
    }
    return (held & mask) != 0;
  };
  if (io_ && collides(*io_)) return true;
  return collides(*root_) ||
         std::any_of(groups_.begin(), groups_.end(), [&](const auto& other) { return collides(*other); });
}

void ResctrlState::for_each_other(const Group& group, const std::function<void(Group&)>& visit) {
  if (root_.get() != &group) visit(*root_);
  for (const auto& other : groups_) {
    if (other.get() != &group) visit(*other);
  }
}

Group* ResctrlState::find_group(const std::string& path) const {
  const auto named = [](const auto& groups, std::string_view name) -> Group* {
    const auto found = std::ranges::find_if(groups, [&](const auto& group) { return group->name == name; });
    return found == groups.end() ? nullptr : found->get();
  };
  Group* group = root_.get();
  const auto parts = split(path, '/');
  std::size_t next = 0;
  if (!parts.empty() && parts[0] != "mon_groups") group = named(groups_, parts[next++]);
  if (group == nullptr || next == parts.size()) return group;
  return next + 2 == parts.size() ? named(group->monitoring, parts[next + 1]) : nullptr;
}

std::vector<const Group*> ResctrlState::all_groups() const {
  std::vector<const Group*> all;
  const auto add = [&](const Group& group) {
    all.push_back(&group);
    for (const auto& child : group.monitoring) all.push_back(child.get());
  };
  if (root_) add(*root_);
  for (const auto& group : groups_) add(*group);
  return all;
}

}  // namespace bulkhead::sim
