// SPDX-License-Identifier: Apache-2.0
// perf_event_open(2): what processors count. No file says it, so it has a seam of its own, and a test can put
// a model behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace bulkhead {

struct PerfEvent {
  std::uint32_t type = 0;  // the number of the PMU that counts it
  std::uint64_t config = 0;
  bool operator==(const PerfEvent&) const = default;
};

// Of one group: fewer than the counters of any processor, so that a group always fits.
inline constexpr std::size_t kMostPerfEvents = 4;

// Whose events. A CPU's, with everything that runs there; with a cgroup, only what of it runs there; with a
// thread, that thread's, wherever it runs or on that CPU only.
struct PerfTarget {
  std::optional<unsigned> cpu;
  std::string cgroup;  // path of its directory
  std::optional<unsigned> thread;
  bool operator==(const PerfTarget&) const = default;
};

std::string to_string(const PerfTarget& target);  // "CPU 3", "/c/web on CPU 3", "thread 7"

// Nanoseconds since a group was opened in which its target ran, and of these, in which it was counted: PMUs
// take turns where more is asked for than they have counters.
struct PerfTimes {
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
  bool operator==(const PerfTimes&) const = default;
};

// Events of one target that are counted together or not at all. Each takes a descriptor.
class PerfGroup {
 public:
  virtual ~PerfGroup() = default;

  // Counts since it was opened, one an event. One read(2). False: the kernel says nothing any more.
  virtual bool read(std::span<std::uint64_t> counts, PerfTimes& times) = 0;
};

class PerfSystem {
 public:
  virtual ~PerfSystem() = default;

  // At most kMostPerfEvents. Throws Error::from_errno: ENOENT or EOPNOTSUPP for what no PMU counts, ENODEV
  // for a CPU that is offline, ESRCH for a thread that has ended, EACCES or EPERM where it is not allowed,
  // EMFILE.
  virtual std::unique_ptr<PerfGroup> open(std::span<const PerfEvent> events, const PerfTarget& target) = 0;

  // Which cgroup is at that path: another number where one was removed and made again, 0 where there is none.
  virtual std::uint64_t cgroup_identity(const std::string& path) = 0;
};

std::unique_ptr<PerfSystem> make_linux_perf_system();

}  // namespace bulkhead
