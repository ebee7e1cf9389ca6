// SPDX-License-Identifier: Apache-2.0
// The modelled kernel as programs see it: its files at their places, with the real processes of this PID
// namespace as its tasks. What is not modelled is shown by links to the real /proc and /sys, which are
// mounted inside.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "simulator/fuse/served_tree.h"
#include "simulator/kernel_model/scripted_kernel.h"
#include "simulator/launcher/hsmp.h"
#include "simulator/launcher/real_tasks.h"

namespace bulkhead::sim {

class SimulatedHost : public ServedTree {
 public:
  // Where the real filesystems are mounted inside of the served tree.
  static constexpr const char* kRealProc = "/proc/.real";
  static constexpr const char* kRealSys = "/sys/.real";

  explicit SimulatedHost(KernelShape shape);

  // From then on tasks are the processes of the real /proc, which with the real /sys is mounted below
  // `real_root`. That must not be inside of what this serves: looking there would wait for itself.
  void follow_tasks(const std::string& real_root);

  // Everything the outside does to the host: hardware that counts, tests that break things.
  template <class Act>
  auto with_kernel(Act&& act) {
    const std::lock_guard lock(mutex_);
    return act(kernel_);
  }

  // With the processes and threads that there are now as its tasks.
  template <class Act>
  auto with_tasks(Act&& act) {
    const std::lock_guard lock(mutex_);
    if (tasks_) tasks_->update();
    auto result = act(kernel_);
    note_places();
    return result;
  }
  const std::string& real_root() const { return real_root_; }  // since follow_tasks()

  // /dev/hsmp, where the host has it; before anybody looks.
  void attach(std::unique_ptr<Hsmp> hsmp) { hsmp_ = std::move(hsmp); }
  Hsmp* hsmp() { return hsmp_.get(); }

  // Calls on paths of this pattern take that much longer; an empty pattern ends all that.
  void slow_down(const std::string& pattern, std::chrono::milliseconds time);

  Facts facts(const std::string& path, const Caller& caller) override;
  Listing list(const std::string& path, const Caller& caller) override;
  Answer read_link(const std::string& path, const Caller& caller) override;
  Opened open(const std::string& path, OpenFor access, const Caller& caller) override;
  int create_file(const std::string& path, const Caller& caller) override;
  int remove_file(const std::string& path, const Caller& caller) override;
  int make_directory(const std::string& path, const Caller& caller) override;
  int remove_directory(const std::string& path, const Caller& caller) override;
  int rename(const std::string& from, const std::string& to, const Caller& caller) override;

 private:
  class File;
  class HsmpFile;

  // Locks, brings the tasks up to date, always or where the one that `path` is about has changed, and says
  // who calls.
  std::unique_lock<std::mutex> enter(const std::string& path, const Caller& caller,
                                     bool look_at_tasks = false);
  bool is_outdated(const std::string& path);
  unsigned process_of(const Caller& caller);
  void note_places() {
    if (tasks_) tasks_->note_places();
  }
  bool is_kernel_thread(const std::string& path);  // whether the path is about one
  bool exists_really(const std::string& path) const;

  std::mutex mutex_;
  ScriptedKernel kernel_;
  std::vector<std::pair<std::string, std::chrono::milliseconds>> slow_;  // by pattern
  std::string real_root_;
  std::unique_ptr<RealTasks> tasks_;
  std::unique_ptr<Hsmp> hsmp_;
};

}  // namespace bulkhead::sim
