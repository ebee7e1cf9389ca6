// SPDX-License-Identifier: Apache-2.0
// Which cgroup hierarchy has the cpuset controller, and how cpusets in it look.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/observed.h"

namespace bulkhead {

// Cgroups that we make ourselves, for processes that have none of their own, lie in the root and have this
// prefix.
inline constexpr std::string_view kOwnCgroupPrefix = "/bulkhead.";

enum class CgroupVersion { none, v1, v2 };

struct Hierarchy {
  CgroupVersion version = CgroupVersion::none;
  std::string mount_point;  // of the hierarchy with cpuset
  std::string explanation;  // when none: why not, and the remedy
  // Where services have their cgroups, also when there is no cpuset: the same tree on v2; where cpusets are
  // on v1, systemd keeps its units in a tree of its own.
  std::string service_mount_point;
};

Hierarchy find_hierarchy(FileSystem& files);

// What the cpuset files are called.
struct CpusetFileNames {
  std::string_view cpus, memory_nodes, effective_cpus, effective_memory_nodes;
};
const CpusetFileNames& cpuset_files(CgroupVersion version);

// The file of the cgroup at `path` ("/" or "/a/b"), as a path below the hierarchy's root.
std::string file_in_cgroup(const std::string& path, std::string_view file);
std::string parent_cgroup(const std::string& path);  // "/" of "/" and of "/a"

// The cgroup at `path` as the kernel shows it now. One without cpuset files has the effective values of the
// nearest ancestor with them. Throws Error(not_found).
ObservedCpuset read_cpuset(Directory& root, CgroupVersion version, const std::string& path);

// Paths of a cgroup's children, sorted; none if it is not there.
std::vector<std::string> children_of(Directory& root, const std::string& path);

// Processes in the cgroup itself; none if it is not there.
std::vector<unsigned> processes_in(Directory& root, const std::string& path);

}  // namespace bulkhead
