// SPDX-License-Identifier: Apache-2.0
// The kernel that answers the operations of cases: the model in memory, or the one of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::conformance {

inline const std::string kResctrl = "/sys/fs/resctrl";
inline constexpr unsigned kNobody = 65534;  // the user that is not root

// 0 or an errno, and what was read, or the id of what was made.
struct Outcome {
  int error = 0;
  std::string text;
};

enum class Ability {
  files,
  mounting,      // of resctrl
  counters,      // the hardware's can be set
  users,         // that are not root
  affinity,      // sched_setaffinity on the host's CPUs
  empty_writes,  // write(2) of nothing reaches the file
};

class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  virtual bool can(Ability ability) const = 0;
  // As it was at first: no groups, tasks and settings of an earlier case.
  virtual void clean() = 0;

  // Files; each is one system call on a path, with open and close around it.
  virtual Outcome read(const std::string& path) = 0;
  virtual Outcome write(const std::string& path, std::string_view text) = 0;
  virtual Outcome list(const std::string& path) = 0;  // by name, blanks between, a slash after folders
  virtual Outcome mode(const std::string& path) = 0;  // "0644"
  virtual Outcome make_directory(const std::string& path) = 0;
  virtual Outcome remove_directory(const std::string& path) = 0;
  virtual Outcome rename(const std::string& from, const std::string& to) = 0;
  virtual Outcome create(const std::string& path) = 0;
  virtual Outcome unlink(const std::string& path) = 0;
  virtual Outcome mount(const std::string& options) = 0;
  virtual Outcome unmount() = 0;

  // Files that stay open, by name.
  virtual Outcome open(const std::string& name, const std::string& path) = 0;
  virtual Outcome read_open(const std::string& name) = 0;
  virtual Outcome write_open(const std::string& name, std::string_view text) = 0;

  // Tasks, by id.
  virtual Outcome self() = 0;
  virtual Outcome spawn() = 0;  // a process
  virtual Outcome thread(unsigned of) = 0;
  virtual Outcome fork(unsigned of) = 0;
  virtual Outcome become_zombie(unsigned process) = 0;
  virtual Outcome end(unsigned task) = 0;
  virtual Outcome set_affinity(unsigned task, const std::string& cpus) = 0;
  virtual void act_as_nobody(bool nobody) = 0;

  // The world.
  virtual Outcome set_counter(const std::string& group, unsigned domain, const std::string& event,
                              const std::string& units) = 0;
  // `state`: "unavailable" or "error"
  virtual Outcome fail_counter(const std::string& group, unsigned domain, const std::string& event,
                               const std::string& state) = 0;
  virtual void settle() = 0;  // until the kernel has done what it puts off for a moment
  virtual void wait() = 0;    // until the kernel has done what it does every second
};

}  // namespace bulkhead::conformance
