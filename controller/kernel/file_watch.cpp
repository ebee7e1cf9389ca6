// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/file_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <sys/inotify.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

constexpr std::uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY |
                                  IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::size_t kBuffer = 16 << 10;
constexpr std::array<std::string_view, 8> kNames{
    "cgroup.events", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control",
    "cpus",          "cpus_list",    "mode",           "schemata"};

}  // namespace

bool is_of_interest(std::string_view name) {
  return name == "tasks" || name.starts_with("cpuset.") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

FileWatch::FileWatch() : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!inotify_) throw Error::from_errno(errno, "cannot watch files", "inotify");
}

std::size_t FileWatch::watch(const std::vector<std::string>& directories) {
  const std::set<std::string> wanted(directories.begin(), directories.end());
  for (auto entry = watched_.begin(); entry != watched_.end();) {
    if (wanted.contains(entry->first)) {
      ++entry;
    } else {
      ::inotify_rm_watch(inotify_.get(),
                         entry->second);  // fails where the directory has gone: then so has the watch
      entry = watched_.erase(entry);
    }
  }
  more_ = false;
  for (const std::string& directory : wanted) {
    if (watched_.contains(directory)) continue;
    const int watch = ::inotify_add_watch(inotify_.get(), directory.c_str(), kEvents);
    if (watch < 0) continue;
    watched_[directory] = watch;
    more_ = true;
  }
  return watched_.size();
}

bool FileWatch::take() {
  bool matters = false;
  alignas(inotify_event) char buffer[kBuffer];
  for (ssize_t size = 0; (size = ::read(inotify_.get(), buffer, sizeof buffer)) > 0;) {
    for (const char* place = buffer; place < buffer + size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(place);
      place += sizeof(inotify_event) + event->len;
      if ((event->mask & IN_IGNORED) != 0) {
        // We let go of it, or its directory has gone, which was told before: one of the same name is another.
        std::erase_if(watched_, [&](const auto& entry) { return entry.second == event->wd; });
        continue;
      }
      const bool content = (event->mask & IN_MODIFY) != 0;
      matters = matters || !content || is_of_interest(event->len > 0 ? event->name : "");
    }
  }
  return matters;
}

}  // namespace bulkhead
