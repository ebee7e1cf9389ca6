// SPDX-License-Identifier: Apache-2.0
#include "cgroup/hierarchy.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/mounts.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

const Mount* find_mount(const std::vector<Mount>& mounts, std::string_view type, std::string_view option) {
  for (const Mount& mount : mounts) {
    if (mount.type == type && (option.empty() || mount.has_option(option))) return &mount;
  }
  return nullptr;
}

bool offers_cpuset(FileSystem& files, const Mount& mount) {
  const auto root = files.open_directory_if_there(mount.point);
  if (!root) return false;
  const std::string controllers(root->read_if_there("cgroup.controllers").value_or(""));
  const auto words = split(trim(controllers), ' ');
  return std::find(words.begin(), words.end(), "cpuset") != words.end();
}

// The cpuset line of /proc/cgroups: name, hierarchy, number of cgroups, enabled.
struct ControllerLine {
  bool bound_to_v1 = false;
  bool enabled = false;
};

std::optional<ControllerLine> find_line(std::string_view table) {
  for (const std::string_view line : split(table, '\n')) {
    const auto fields = split(line, '\t');
    if (fields.size() == 4 && fields[0] == "cpuset")
      return ControllerLine{fields[1] != "0", fields[3] != "0"};
  }
  return std::nullopt;
}

std::string explain_none(FileSystem& files, const Mount* unified) {
  const auto table = files.open_directory(std::string(paths::kProc))->read_if_there("cgroups");
  const auto line = find_line(table.value_or(""));
  const std::string folder(paths::kCgroup);
  if (table && !line) return "this kernel was built without cpusets: use one with CONFIG_CPUSETS=y";
  if (line && !line->enabled) {
    return "cpusets are switched off: take 'cgroup_disable=cpuset' away from the kernel's command line and "
           "boot again";
  }
  if (line && line->bound_to_v1) {
    return "the cpuset controller belongs to a cgroup v1 hierarchy that is not mounted here: run 'mount -t "
           "cgroup "
           "-o cpuset cpuset " +
           folder + "/cpuset'";
  }
  if (unified == nullptr) {
    return "no cgroup hierarchy with cpusets is mounted: run 'mount -t cgroup2 cgroup2 " + folder + "'";
  }
  return "the cgroup tree on " + unified->point +
         " has no cpuset controller, as in a container that was not given it: run bulkhead on the host";
}

constexpr CpusetFileNames kV1{"cpuset.cpus", "cpuset.mems", "cpuset.effective_cpus", "cpuset.effective_mems"};
constexpr CpusetFileNames kV2{"cpuset.cpus", "cpuset.mems", "cpuset.cpus.effective", "cpuset.mems.effective"};

std::optional<CpuSet> read_set(Directory& root, const std::string& path, std::string_view file) {
  const auto text = root.read_if_there(file_in_cgroup(path, file));
  if (!text) return std::nullopt;
  return CpuSet::parse_list(*text);
}

}  // namespace

Hierarchy find_hierarchy(FileSystem& files) {
  const std::vector<Mount> mounts = read_mounts(files);
  const Mount* unified = find_mount(mounts, "cgroup2", "");
  const Mount* legacy = find_mount(mounts, "cgroup", "cpuset");
  const Mount* systemd = find_mount(mounts, "cgroup", "name=systemd");
  Hierarchy found;
  if (unified != nullptr) {
    found.service_mount_point = unified->point;
  } else if (systemd != nullptr || legacy != nullptr) {
    found.service_mount_point = (systemd != nullptr ? systemd : legacy)->point;
  }
  if (legacy != nullptr) {
    found.version = CgroupVersion::v1;
    found.mount_point = legacy->point;
  } else if (unified != nullptr && offers_cpuset(files, *unified)) {
    found.version = CgroupVersion::v2;
    found.mount_point = unified->point;
  } else {
    found.explanation = explain_none(files, unified);
  }
  return found;
}

const CpusetFileNames& cpuset_files(CgroupVersion version) {
  return version == CgroupVersion::v1 ? kV1 : kV2;
}

std::string file_in_cgroup(const std::string& path, std::string_view file) {
  return path == "/" ? std::string(file) : path.substr(1) + '/' + std::string(file);
}

std::string parent_cgroup(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

ObservedCpuset read_cpuset(Directory& root, CgroupVersion version, const std::string& path) {
  if (path != "/" && !root.exists(path.substr(1))) {
    throw Error::from_errno(ENOENT, "there is no such cgroup", root.path() + path);
  }
  const CpusetFileNames& names = cpuset_files(version);
  ObservedCpuset found{.path = path};
  // The root of v2 has no cpuset.cpus: it holds every CPU.
  const auto effective = read_set(root, path, names.effective_cpus);
  found.controlled = effective.has_value();
  if (!found.controlled) {
    if (path == "/") return found;
    const ObservedCpuset above = read_cpuset(root, version, parent_cgroup(path));
    found.effective_cpus = above.effective_cpus;
    found.effective_memory_nodes = above.effective_memory_nodes;
    return found;
  }
  found.effective_cpus = *effective;
  found.effective_memory_nodes = read_set(root, path, names.effective_memory_nodes).value_or(CpuSet{});
  found.cpus = read_set(root, path, names.cpus).value_or(CpuSet{});
  found.memory_nodes = read_set(root, path, names.memory_nodes).value_or(CpuSet{});
  if (version == CgroupVersion::v2) {
    const auto partition = root.read_if_there(file_in_cgroup(path, "cpuset.cpus.partition"));
    found.partition = std::string(trim(partition.value_or("")));
  }
  return found;
}

std::vector<std::string> children_of(Directory& root, const std::string& path) {
  const auto folder = path == "/" ? nullptr : root.open_directory_if_there(path.substr(1));
  if (path != "/" && !folder) return {};
  std::vector<std::string> children;
  for (const DirectoryEntry& entry : folder ? folder->list() : root.list()) {
    if (entry.is_directory) children.push_back((path == "/" ? "" : path) + '/' + entry.name);
  }
  return children;
}

std::vector<unsigned> processes_in(Directory& root, const std::string& path) {
  std::vector<unsigned> processes;
  const std::string content = root.read_if_there(file_in_cgroup(path, "cgroup.procs")).value_or("");
  for (const std::string_view line : split(content, '\n')) {
    if (const auto id = parse_integer<unsigned>(trim(line)); id && *id != 0) processes.push_back(*id);
  }
  return processes;
}

}  // namespace bulkhead
