// SPDX-License-Identifier: Apache-2.0
// Which cgroup hierarchy has the cpuset controller, and how cpusets in it look.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/observed.h"

namespace bulkhead {

enum class CgroupVersion { none, v1, v2 };

struct Hierarchy {
  CgroupVersion version = CgroupVersion::none;
  std::string mount_point;   // of the hierarchy with cpuset
  std::string explanation;   // when none: why not, and the remedy
};

Hierarchy find_hierarchy(FileSystem& files);

// The cgroup at `path` ("/" or "/a/b") as the kernel shows it now. Throws Error(not_found).
ObservedCpuset read_cpuset(Directory& root, CgroupVersion version, const std::string& path);

// Paths of a cgroup's children, sorted.
std::vector<std::string> children_of(Directory& root, const std::string& path);

}  // namespace bulkhead
