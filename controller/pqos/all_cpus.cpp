// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/all_cpus.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/mounts.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

// Of /proc/self/cgroup, whose lines are "0::/path" for v2 and "N:cpuset,cpu:/path" for v1.
std::string path_in(std::string_view text, bool unified) {
  for (const std::string_view line : split(text, '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const std::vector<std::string_view> controllers = split(names, ',');
    const bool cpusets = std::find(controllers.begin(), controllers.end(), "cpuset") != controllers.end();
    if (unified ? names.empty() : cpusets) return std::string(line.substr(second + 1));
  }
  return {};
}

}  // namespace

AllCpus::AllCpus(FileSystem& files) : files_(files) {
  try {
    bool unified = false;
    for (const Mount& mount : read_mounts(files)) {
      const bool v1 = mount.type == "cgroup" && mount.has_option("cpuset");
      if (!v1 && mount.type != "cgroup2") continue;
      mount_point_ = mount.point;
      unified = !v1;
      if (v1) break;  // cpusets are in one tree; where they are in v1 the other has none
    }
    if (mount_point_.empty()) return;
    std::string home = path_in(files.open_directory(std::string(paths::kProc))->read("self/cgroup"), unified);
    if (home.empty() || home == "/") return;
    move_to("");
    home_ = std::move(home);
  } catch (const Error&) {
    return;
  }
}

AllCpus::~AllCpus() {
  if (home_.empty()) return;
  try {
    move_to(home_);
  } catch (const Error&) {
    return;  // it is gone: the root is as good
  }
}

// 0 is who writes.
void AllCpus::move_to(const std::string& cgroup) {
  files_.open_directory(mount_point_ + cgroup)->write("cgroup.procs", "0\n");
}

}  // namespace bulkhead
