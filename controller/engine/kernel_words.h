// SPDX-License-Identifier: Apache-2.0
// The kernel's names for things that the engine's parts have in common.
#pragma once

#include <string>
#include <string_view>

#include "controller/planner/plan.h"

namespace bulkhead {

inline bool is_our_group(std::string_view name) {
  return name.starts_with(kGroupPrefix);
}

// Whether the last part of a group's path below resctrl's root is a name of ours.
inline bool is_our_path(std::string_view path) {
  const auto slash = path.rfind('/');
  return is_our_group(path.substr(slash == std::string_view::npos ? 0 : slash + 1));
}

inline std::string monitoring_path(const std::string& control_group, const std::string& name) {
  return (control_group.empty() ? "" : control_group + '/') + "mon_groups/" + name;
}

inline bool holds_ways(Resource resource) {
  return resource == Resource::l3 || resource == Resource::l3_code || resource == Resource::l3_data;
}

// As cpuset.cpus.partition takes it.
inline std::string_view word_of(Partition partition) {
  constexpr std::string_view kWords[] = {"member", "root", "isolated"};
  return kWords[static_cast<int>(partition)];
}

}  // namespace bulkhead
