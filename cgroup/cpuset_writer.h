// SPDX-License-Identifier: Apache-2.0
// Writes cpuset.cpus and cpuset.mems, and empties them where the kernel does not want that.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cgroup/hierarchy.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

class CpusetWriter {
 public:
  CpusetWriter(FileSystem& files, Directory& root, CgroupVersion version)
      : files_(files), root_(root), version_(version) {}

  // `file` is "cpuset.cpus" or "cpuset.mems". An empty list means inherited. Kernels up to 6.12 refuse that
  // on cgroups with processes (ENOSPC); then the file gets the list of all CPUs or nodes, which has the same
  // effect, and as soon as no other cgroup is touched by it, cpuset is switched off and on again above, which
  // empties it.
  void write(const std::string& path, std::string_view file, const std::string& list);

  // The same, writing nothing where it is so already or where the file or cgroup has gone.
  void restore(const std::string& path, std::string_view file, const std::string& list);

  // What could not be emptied, for people; each once.
  std::vector<std::string> notes() const;

 private:
  void put(const std::string& path, std::string_view file, const std::string& list);
  void clear(const std::string& path, std::string_view file);
  std::string everything(const std::string& path, bool of_cpus);
  bool may_cycle(const std::string& parent);
  void cycle(const std::string& parent);

  FileSystem& files_;
  Directory& root_;
  CgroupVersion version_;
  // Path and file with everything instead of nothing, and what that was: where it is another now, somebody
  // else wants it so.
  std::map<std::pair<std::string, std::string>, CpuSet> stand_ins_;
};

}  // namespace bulkhead
