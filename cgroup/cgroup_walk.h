// SPDX-License-Identifier: Apache-2.0
// Walks a cgroup tree for the cgroups of a name, and for all that runs in a subtree.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"

namespace bulkhead {

class CgroupWalk {
 public:
  explicit CgroupWalk(Directory& root) : root_(root) {}

  // Paths that match, by path, without those below another match. Only the part of the tree that the pattern
  // can mean is walked.
  std::vector<std::string> matching(const std::string& pattern);
  // Cgroups whose own name it is.
  std::vector<std::string> named(const std::string& name);

  struct Members {
    std::set<unsigned> processes;
    std::set<unsigned> threads;
  };
  void collect(const std::string& path, Members& members);

 private:
  void search(const std::string& path, const std::string& pattern, bool by_name,
              std::vector<std::string>& found);

  Directory& root_;
};

}  // namespace bulkhead
