// SPDX-License-Identifier: Apache-2.0
// Puts the machine back as it was before the first case.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include "controller/base/cpu_set.h"
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "tests/conformance/system_host.h"

namespace bulkhead::conformance {
namespace {

const std::string kCpus = "/sys/devices/system/cpu/";
constexpr unsigned kSpareRmids = 20;

constexpr std::array kCgroupRoots{"/sys/fs/cgroup", "/sys/fs/cgroup/cpuset", "/sys/fs/cgroup/unified"};
// What cases change and removing groups does not undo.
constexpr std::array kSettings{
    "/sys/fs/resctrl/schemata", "/sys/fs/resctrl/info/L3_MON/max_threshold_occupancy",
    "/sys/fs/resctrl/info/L3_MON/mbm_total_bytes_config",
    "/sys/fs/resctrl/info/L3_MON/mbm_local_bytes_config", "/sys/fs/resctrl/info/L3_MON/mbm_assign_mode"};
constexpr std::array kGroupFolders{"info/", "mon_data/", "mon_groups/"};

bool is_group(std::string_view entry) {
  if (!entry.ends_with('/')) return false;
  for (const std::string_view folder : kGroupFolders) {
    if (entry == folder) return false;
  }
  return true;
}

// The options of a filesystem's own, from a line of /proc/mounts.
std::string own_options(std::string_view all) {
  std::vector<std::string> own;
  for (const std::string_view option : split(all, ',')) {
    if (option != "rw" && option != "relatime") own.emplace_back(option);
  }
  return join(own, ",");
}

}  // namespace

void SystemHost::note_settings() {
  const std::string mounts = read("/proc/mounts").text;
  for (const std::string_view line : split(std::string_view(mounts), '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 4 || words[1] != kResctrl) continue;
    mounted_ = true;
    mount_options_ = own_options(words[3]);
  }
  for (const char* path : kSettings) {
    if (const Outcome content = read(path); content.error == 0) settings_[path] = content.text;
  }
}

void SystemHost::restore(const std::string& path, const std::string& content) {
  const Outcome now = read(path);
  if (now.error != 0 || now.text == content) return;
  for (const std::string_view line : split(std::string_view(content), '\n')) {
    const std::string whole = std::string(line) + '\n';
    if (const Outcome wrote = write(path, whole); wrote.error != 0) {
      throw Error::from_errno(wrote.error, "cannot restore a file to what it held before", path);
    }
  }
}

// Removed partitions give their CPUs back a little later.
void SystemHost::await_cpusets() {
  constexpr unsigned kTries = 50;
  const std::string all = read(kCpus + "online").text;
  for (unsigned left = kTries; left > 0; --left) {
    const Outcome effective = read("/sys/fs/cgroup/cpuset.cpus.effective");
    if (effective.error != 0 || effective.text == all) return;
    settle();
  }
  throw Error(ErrorCode::internal, "CPUs of removed cgroups do not come back");
}

void SystemHost::clean_cgroups() {
  for (const char* root : kCgroupRoots) write(std::string(root) + "/cgroup.procs", "0\n");
  for (auto path = cgroups_made_.rbegin(); path != cgroups_made_.rend(); ++path) {
    if (remove_directory(*path).error == EBUSY) {
      throw Error(ErrorCode::internal, "a cgroup of a case cannot be removed: " + *path);
    }
  }
  if (!cgroups_made_.empty()) await_cpusets();
  cgroups_made_.clear();
  for (const char* root : kCgroupRoots) {
    const std::string path = std::string(root) + "/cgroup.subtree_control";
    const std::string enabled = read(path).text;
    const auto first = settings_.try_emplace(path, enabled).first->second;
    for (const std::string_view name : split(trim(enabled), ' ')) {
      if (first.find(name) == std::string::npos) write(path, '-' + std::string(name));
    }
  }
}

void SystemHost::clean_resctrl() {
  if (mounts_changed_) {
    unmount();
    if (mounted_ && mount(mount_options_).error != 0) {
      throw Error(ErrorCode::internal, "resctrl cannot be mounted again");
    }
    mounts_changed_ = false;
  }
  if (!mounted_) return;
  write(kResctrl + "/tasks", "0\n");
  for (const std::string& folder : {kResctrl + "/mon_groups", kResctrl}) {
    std::vector<std::string> names;
    names_in(folder, names);
    for (const std::string& name : names) {
      if (is_group(name)) remove_directory(folder + '/' + name);
    }
  }
  write(kResctrl + "/mode", "shareable\n");
  for (const auto& [path, content] : settings_) {
    if (path.starts_with(kResctrl)) restore(path, content);
  }
  write(kResctrl + "/mode", "shareable\n");  // which clears the status, too
}

void SystemHost::refill_ids() {
  const std::string number = read(kResctrl + "/info/L3_MON/num_rmids").text;
  const auto rmids = parse_integer<unsigned>(trim(number));
  if (rmids && groups_made_ > 0 && groups_made_ + kSpareRmids > *rmids) wait();
}

void SystemHost::clean() {
  for (const auto& [name, file] : open_) close(file);
  open_.clear();
  processes_.end_all();
  for (const std::string& command : counters_set_) {
    if (std::system(command.c_str()) != 0) throw Error(ErrorCode::internal, "failed: " + command);
  }
  counters_set_.clear();
  const std::string offline = read(kCpus + "offline").text;
  CpuSet::parse_list(offline).for_each(
      [&](unsigned cpu) { write(kCpus + "cpu" + std::to_string(cpu) + "/online", "1"); });
  clean_cgroups();
  clean_resctrl();
  refill_ids();
}

}  // namespace bulkhead::conformance
