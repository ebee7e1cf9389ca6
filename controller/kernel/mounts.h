// SPDX-License-Identifier: Apache-2.0
// What is mounted where, as this process sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"

namespace bulkhead {

struct Mount {
  std::string point;
  std::string type;     // "cgroup2", "resctrl"
  std::string root;     // what of the filesystem is mounted: "/" unless it is a bind mount of a part
  std::string options;  // the filesystem's own, "rw,cpuset"
  bool read_only = false;

  bool has_option(std::string_view option) const;
};

// Later mounts on the same point hide earlier ones, which are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);
std::vector<Mount> read_mounts(FileSystem& files);

}  // namespace bulkhead
