// SPDX-License-Identifier: Apache-2.0
// Paths of groups below resctrl's root: "" the default group, "G" a control group, "G/mon_groups/M" and
// "mon_groups/M" monitoring groups.
#pragma once

#include <string>
#include <string_view>

namespace bulkhead {

inline constexpr std::string_view kMonitoringFolder = "mon_groups";

inline bool is_monitoring_path(std::string_view group) {
  return group.starts_with("mon_groups/") || group.find("/mon_groups/") != std::string_view::npos;
}

// The control group that a group is, or that it monitors a part of.
inline std::string control_group_of(std::string_view group) {
  if (group.starts_with("mon_groups/")) return {};
  return std::string(group.substr(0, group.find("/mon_groups/")));
}

inline std::string in_group(const std::string& group, std::string_view file) {
  return group.empty() ? std::string(file) : group + '/' + std::string(file);
}

// For messages.
inline std::string group_title(const std::string& group) {
  return group.empty() ? "the default group" : group;
}

}  // namespace bulkhead
