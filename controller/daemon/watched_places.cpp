// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/watched_places.h"

#include <algorithm>
#include <set>

namespace bulkhead {
namespace {

class Places {
 public:
  void add(const std::string& directory) {
    if (all_.size() < kMostWatchedPlaces) all_.insert(directory);
  }
  std::vector<std::string> take() const { return {all_.begin(), all_.end()}; }

 private:
  std::set<std::string> all_;
};

std::string in_tree(const std::string& mount_point, const std::string& path) {
  return path == "/" ? mount_point : mount_point + path;
}

// "/a/b*/c" -> "/a": what is there whatever the pattern will match.
std::string before_pattern(const std::string& pattern) {
  const std::string literal = pattern.substr(0, pattern.find_first_of("*?["));
  const auto slash = literal.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : literal.substr(0, slash);
}

// All directories on the way: any of them may be the one that is made first.
void add_ancestors(Places& places, const std::string& mount_point, std::string path) {
  for (;; path = parent_cgroup(path)) {
    places.add(in_tree(mount_point, path));
    if (path == "/") return;
  }
}

void add_groups(Places& places, const Observed& now, const std::string& resctrl) {
  places.add(resctrl);
  for (const ObservedGroup& group : now.groups) {
    const std::string folder = group.name.empty() ? resctrl : resctrl + '/' + group.name;
    if (group.ours()) places.add(folder);
    for (const ObservedMonitoringGroup& monitoring : group.monitoring) {
      if (!std::string_view(monitoring.name).starts_with(kGroupPrefix)) continue;
      places.add(folder + "/mon_groups");
      places.add(folder + "/mon_groups/" + monitoring.name);
    }
  }
}

void add_selected(Places& places, const Select& select, const Hierarchy& hierarchy) {
  const std::string& root = hierarchy.service_mount_point;
  if (select.kind == SelectKind::cgroup) add_ancestors(places, root, before_pattern(select.text));
  if (select.kind == SelectKind::unit) {
    places.add(root);  // slices come there, and services in their slice
    places.add(in_tree(root, "/system.slice"));
  }
  if (select.kind == SelectKind::others) places.add(root);
  if (select.kind == SelectKind::pidfile) {
    const auto slash = select.text.rfind('/');
    places.add(slash == 0 ? "/" : select.text.substr(0, slash));
  }
}

}  // namespace

std::vector<std::string> watched_places(const Policy& policy, const Observed& now, const std::string& resctrl,
                                        const Hierarchy& hierarchy) {
  Places places;
  if (!resctrl.empty() && now.resctrl) add_groups(places, now, resctrl);
  if (hierarchy.service_mount_point.empty()) return places.take();
  for (const Service& service : policy.services) add_selected(places, service.select, hierarchy);
  for (const ObservedService& service : now.services) {
    for (const std::string& cgroup : service.cgroups) {
      for (const std::string* root : {&hierarchy.service_mount_point, &hierarchy.mount_point}) {
        if (root->empty()) continue;
        places.add(in_tree(*root, cgroup));
        places.add(in_tree(*root, parent_cgroup(cgroup)));
      }
    }
  }
  if (!hierarchy.mount_point.empty()) {
    for (const ObservedCpuset& cpuset : now.cpusets) {
      if (cpuset.controlled && parent_cgroup(cpuset.path) == "/") {
        places.add(in_tree(hierarchy.mount_point, cpuset.path));
      }
    }
  }
  return places.take();
}

bool selects_programs(const Policy& policy) {
  return std::any_of(policy.services.begin(), policy.services.end(), [](const Service& service) {
    return service.select.kind == SelectKind::exe || service.select.kind == SelectKind::comm;
  });
}

}  // namespace bulkhead
