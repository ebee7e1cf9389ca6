// SPDX-License-Identifier: Apache-2.0
// The thread that has the kernel's side to itself: it looks when something happened, when a sweep is due, and
// does what the API asks for, one thing after the other. Between sweeps it sleeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "controller/daemon/keeper.h"

namespace bulkhead {

class KeeperThread {
 public:
  // More than that wait for nobody: who asks is refused, and the host is kept all the same.
  static constexpr std::size_t kMostWaitingJobs = 64;

  enum class Job { reads, changes };  // a look follows a change

  // Starts the keeper on its thread and waits for its first look; its listener is called there (work_goes_on
  // is ours). Throws what Keeper::start throws.
  KeeperThread(KeeperOptions options, KeeperListener listener);

  // Lets what is being done come to its end.
  ~KeeperThread();

  // From any thread. False if too much waits already. However much waits, a look that is due waits for one
  // job at most. The job is called with null, at once or later, where it is not begun any more.
  bool submit(Job kind, std::function<void(Keeper*)> job);

  // The same, before all that wait: for one caller at a time, who waits for it.
  void submit_ahead(Job kind, std::function<void(Keeper&)> job);

  // Nothing that waits is begun any more, but what is submitted ahead. `then` is called on the keeper's
  // thread when what is being done has been done.
  void close(std::function<void()> then);

  void reload(const DaemonConfig& config);

  // Another number than the last time, unless the thread hangs: it counts steps of changes, and answers to
  // this question itself, which wait for one job at most.
  std::uint64_t pulse();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bulkhead
