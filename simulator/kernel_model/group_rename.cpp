// SPDX-License-Identifier: Apache-2.0
// rename(2) in resctrl: since Linux 6.5 a monitoring group can go to another control group, with its tasks
// and what was counted for them.
#include <algorithm>
#include <cerrno>

#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {
namespace {

constexpr std::string_view kMonitoringGroups = "mon_groups";

bool is_place_of_monitoring_group(const Resctrl::Path& folder, const std::string& name) {
  return !folder.empty() && folder.back() == kMonitoringGroups && name != kMonitoringGroups;
}

template <class Groups>
Group* named(const Groups& groups, const std::string& name) {
  const auto found = std::ranges::find_if(groups, [&](const auto& group) { return group->name == name; });
  return found == groups.end() ? nullptr : found->get();
}

}  // namespace

// The group that a folder or file belongs to; info/ belongs to none.
Group* Resctrl::owner_of(const Path& path) const {
  if (!path.empty() && path[0] == "info") return nullptr;
  Group* owner = root_.get();
  std::size_t next = 0;
  if (!path.empty()) {
    if (Group* control = named(groups_, path[0])) {
      owner = control;
      next = 1;
    }
  }
  if (next + 1 < path.size() && path[next] == kMonitoringGroups) {
    if (Group* monitoring = named(owner->monitoring, path[next + 1])) return monitoring;
  }
  return owner;
}

int Resctrl::may_rename(const Group& group, const Path& from, const Group& target, const Path& to) {
  const Path home(from.begin(), from.end() - 1);
  const Path folder(to.begin(), to.end() - 1);
  if (group.is_control() || !is_place_of_monitoring_group(home, from.back())) {
    return fail(EPERM, "Source must be a MON group");
  }
  if (!is_place_of_monitoring_group(folder, to.back())) {
    return fail(EPERM, "Destination must be a mon_groups subdirectory");
  }
  if (!group.cpus.empty() && group.parent != &target) {
    return fail(EPERM, "Cannot move a MON group that monitors CPUs");
  }
  return 0;
}

int Resctrl::rename(const Path& from, const Path& to) {
  if (!world_.at_least(Generation::linux_6_12)) return EPERM;
  Group* group = owner_of(from);
  Group* target = owner_of(Path(to.begin(), to.end() - 1));
  if (group == nullptr || target == nullptr) return ENOENT;
  status_.clear();
  int error = 0;
  if (walk(root_directory(), from, error).kind != NodeKind::directory) {
    return fail(EPERM, "Source and destination must be directories");
  }
  if (const int refused = may_rename(*group, from, *target, to)) return refused;
  if (named(target->monitoring, to.back()) != nullptr) return EEXIST;
  for (auto& [id, task] : world_.tasks) {
    if (task.closid == group->closid && task.rmid == group->rmid) task.closid = target->closid;
  }
  auto& siblings = group->parent->monitoring;
  const auto at = std::ranges::find_if(siblings, [&](const auto& each) { return each.get() == group; });
  std::unique_ptr<Group> moved = std::move(*at);
  siblings.erase(at);
  moved->name = to.back();
  moved->parent = target;
  moved->closid = target->closid;
  target->monitoring.push_back(std::move(moved));
  return 0;
}

}  // namespace bulkhead::sim
