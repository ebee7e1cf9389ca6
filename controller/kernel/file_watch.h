// SPDX-License-Identifier: Apache-2.0
// Tells that something happened in directories of kernel files: inotify(7). The kernel reports what programs
// write and make there, and what it says itself through cgroup.events and the like; on a FUSE filesystem only
// the former. Counters and limits that nobody asked about change all the time, so only names that matter here
// wake anybody.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class FileWatch {
 public:
  // Throws Error(refused) if the kernel has no more watches to give.
  FileWatch();

  // From now on these directories, and no others. One that is not there is passed over, as is what goes
  // beyond the kernel's limit of watches: a sweep finds what happens there. How many are watched.
  std::size_t watch(const std::vector<std::string>& directories);

  // Whether the last watch() took on directories that were not watched before: what happened there until then
  // went unseen.
  bool watches_more() const { return more_; }

  // Readable when there may be something to take.
  int descriptor() const { return inotify_.get(); }

  // Takes all there is; whether any of it matters. Events that were lost for lack of room do.
  bool take();

 private:
  UniqueFd inotify_;
  std::map<std::string, int> watched_;  // directory -> watch
  bool more_ = false;
};

// Whether a change of a file of that name can make a host differ from its plan.
bool is_of_interest(std::string_view name);

}  // namespace bulkhead
