// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/placement_marks.h"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

#include "controller/base/text.h"
#include "controller/base/unique_fd.h"

namespace bulkhead::sim {
namespace {

bool is_same_place(const Task& one, const Task& other) {
  return one.closid == other.closid && one.rmid == other.rmid && one.cgroup == other.cgroup &&
         one.cgroup_v1 == other.cgroup_v1 && one.allowed == other.allowed && one.requested == other.requested;
}

UniqueFd open_slack(int proc, unsigned thread, int access) {
  return UniqueFd(::openat(proc, (std::to_string(thread) + "/timerslack_ns").c_str(), access | O_CLOEXEC));
}

}  // namespace

PlacementMarks::PlacementMarks(int proc)
    : proc_(proc), usual_(static_cast<std::uint64_t>(::prctl(PR_GET_TIMERSLACK))) {}

std::optional<std::uint64_t> PlacementMarks::slack_of(unsigned thread) const {
  const UniqueFd file = open_slack(proc_, thread, O_RDONLY);
  char text[32];
  const ssize_t length = ::read(file.get(), text, sizeof text);
  if (length <= 0) return std::nullopt;
  return parse_integer<std::uint64_t>(trim({text, static_cast<std::size_t>(length)}));
}

const Task* PlacementMarks::inherited(unsigned thread) {
  of_task_.erase(thread);
  const auto slack = slack_of(thread);
  if (!slack || *slack == usual_) return nullptr;
  const std::uint64_t place = *slack - usual_ - 1;  // huge for less than usual
  if (place >= places_.size()) {
    strangers_.insert(thread);
    return nullptr;
  }
  of_task_[thread] = place;
  return &places_[place];
}

std::size_t PlacementMarks::place_of(const Task& task) {
  const auto found =
      std::ranges::find_if(places_, [&](const Task& place) { return is_same_place(place, task); });
  const auto index = static_cast<std::size_t>(found - places_.begin());
  if (found == places_.end()) places_.push_back(task);
  return index;
}

void PlacementMarks::mark(const std::map<unsigned, Task>& tasks) {
  std::erase_if(of_task_, [&](const auto& marked) { return !tasks.contains(marked.first); });
  for (const auto& [id, task] : tasks) {
    const auto marked = of_task_.find(id);
    if (marked != of_task_.end() && is_same_place(places_[marked->second], task)) continue;
    const std::size_t place = place_of(task);
    of_task_[id] = place;
    if (strangers_.erase(id) != 0) continue;
    const std::string text = std::to_string(usual_ + place + 1);
    const UniqueFd file = open_slack(proc_, id, O_WRONLY);
    // Where it fails, the thread has ended.
    if (::write(file.get(), text.data(), text.size()) < 0) of_task_.erase(id);
  }
}

}  // namespace bulkhead::sim
