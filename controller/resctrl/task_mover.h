// SPDX-License-Identifier: Apache-2.0
// Moves threads between resctrl's groups.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "controller/resctrl/group_files.h"

namespace bulkhead {

class TaskMover {
 public:
  explicit TaskMover(GroupFiles& groups) : groups_(groups) {}

  // `tasks` are thread ids with the group that each was in. A monitoring group takes only threads of its
  // control group, so the others go there first. Threads that have ended are passed over.
  void move(const std::string& target, const std::map<unsigned, std::string>& tasks);

  // The groups, of the control group and its monitoring groups, that threads are in. Threads elsewhere are
  // not named.
  std::map<unsigned, std::string> locate(const std::string& control_group);

  // Threads in `group`, sorted; none if it is not there.
  std::vector<unsigned> tasks_of(const std::string& group);

 private:
  // From kernel 6.7 on a write takes a comma-separated list. Found out by trying, since vendors port it back.
  enum class Lists { unknown, taken, refused };

  void write_all(const std::string& group, std::span<const unsigned> tasks);
  std::size_t write_list(const std::string& group, std::span<const unsigned> tasks);
  void write_one(const std::string& group, unsigned task);

  GroupFiles& groups_;
  Lists lists_ = Lists::unknown;
};

}  // namespace bulkhead
