// SPDX-License-Identifier: Apache-2.0
// Why the kernel refuses a change of the cgroup tree. It gives an errno only; what it means is in the tree.
#pragma once

#include <string>

#include "cgroup/hierarchy.h"
#include "controller/base/error.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

// Whether cpuset can be given to the children of `path`. Throws Error(unsupported) that says what stands
// against it.
void check_cpuset_can_be_enabled(Directory& root, const std::string& path);

// Says it when the file is not there because cpuset is not enabled above.
std::unique_ptr<File> open_cpuset_file(Directory& root, const std::string& path, std::string_view file);

// The error of a refused write, with the reason added. `file` is "cpuset.cpus" or "cpuset.mems".
Error explain_cpuset_refusal(const Error& error, Directory& root, CgroupVersion version,
                             const std::string& path, std::string_view file);
Error explain_move_refusal(const Error& error, Directory& root, CgroupVersion version,
                           const std::string& path);

}  // namespace bulkhead
