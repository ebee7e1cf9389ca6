// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/perf_events.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"

namespace bulkhead {
namespace {

constexpr const char* kCall = "perf_event_open";

class LinuxPerfGroup : public PerfGroup {
 public:
  explicit LinuxPerfGroup(std::vector<UniqueFd> events) : events_(std::move(events)) {}

  bool read(std::span<std::uint64_t> counts, PerfTimes& times) override {
    // As PERF_FORMAT_GROUP has it: how many, the two times, the counts.
    constexpr std::size_t kBefore = 3;
    std::array<std::uint64_t, kBefore + kMostPerfEvents> values;
    ssize_t got = 0;
    do {
      got = ::read(events_.front().get(), values.data(), sizeof values);
    } while (got < 0 && errno == EINTR);
    const std::size_t wanted = (kBefore + events_.size()) * sizeof values[0];
    if (got < 0 || static_cast<std::size_t>(got) != wanted) return false;
    times = {values[1], values[2]};
    std::copy_n(values.begin() + kBefore, std::min(counts.size(), events_.size()), counts.begin());
    return true;
  }

 private:
  std::vector<UniqueFd> events_;  // the first leads
};

class LinuxPerfSystem : public PerfSystem {
 public:
  std::unique_ptr<PerfGroup> open(std::span<const PerfEvent> events, const PerfTarget& target) override {
    UniqueFd cgroup;
    if (!target.cgroup.empty()) {
      cgroup = UniqueFd(::open(target.cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!cgroup) throw Error::from_errno(errno, "cannot open", target.cgroup);
    }
    const int id = cgroup ? cgroup.get() : target.thread ? static_cast<int>(*target.thread) : -1;
    std::vector<UniqueFd> opened;
    for (const PerfEvent& event : events) {
      const int leader = opened.empty() ? -1 : opened.front().get();
      opened.push_back(open_event(event, id, target, leader));
    }
    return std::make_unique<LinuxPerfGroup>(std::move(opened));
  }

  std::uint64_t cgroup_identity(const std::string& path) override {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
  }

 private:
  static UniqueFd open_event(const PerfEvent& event, int id, const PerfTarget& target, int leader) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    unsigned long flags = PERF_FLAG_FD_CLOEXEC;
    if (!target.cgroup.empty()) flags |= PERF_FLAG_PID_CGROUP;
    const int cpu = target.cpu ? static_cast<int>(*target.cpu) : -1;
    UniqueFd opened(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, id, cpu, leader, flags)));
    if (!opened) throw Error::from_errno(errno, "cannot count events of " + to_string(target), kCall);
    return opened;
  }
};

}  // namespace

std::string to_string(const PerfTarget& target) {
  std::string text = target.cgroup;
  if (target.thread) text = "thread " + std::to_string(*target.thread);
  if (!target.cpu) return text;
  return (text.empty() ? "" : text + " on ") + "CPU " + std::to_string(*target.cpu);
}

std::unique_ptr<PerfSystem> make_linux_perf_system() {
  return std::make_unique<LinuxPerfSystem>();
}

}  // namespace bulkhead
