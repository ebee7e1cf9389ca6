// SPDX-License-Identifier: Apache-2.0
// A command of an experiment: what it writes is kept up to a bound, and it never outlives its time, nor do
// its children.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "controller/experiment/captured_stream.h"

namespace bulkhead {

struct CommandEnd {
  std::string output;  // what it wrote to standard output
  // Why its output says nothing: it failed (and what it said about that last), was killed, wrote too much;
  // empty if it is good.
  std::string why_none;
};

class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLargestOutput = 16 << 20;
  static constexpr std::size_t kKeptComplaints = 4096;  // the last bytes on standard error

  // Runs `words` in `folder`, in a process group of its own, with standard input empty. Throws Error where it
  // cannot be started.
  ChildProcess(const std::vector<std::string>& words, const std::string& folder);
  ~ChildProcess();  // killed if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Takes what it has written by now, so that it need not wait.
  void drain();
  // Waits until it has ended; nothing where it has not until then, or is given up. What still runs is killed
  // with this object.
  std::optional<CommandEnd> finish(Clock::time_point until, const std::function<bool()>& gives_up);
  std::string last_complaint() const;  // ": " and the last line on standard error; empty for none

 private:
  void kill_all();
  bool has_ended();

  std::string name_;
  pid_t process_ = -1;
  CapturedStream output_{kLargestOutput, CapturedStream::Keep::beginning};
  CapturedStream complaints_{kKeptComplaints, CapturedStream::Keep::end};
  std::optional<siginfo_t> end_;
};

// Runs a command to its end. Throws Error(refused) with why where it does not end well, or is given up.
void run_command(
    const std::vector<std::string>& words, const std::string& folder, std::chrono::milliseconds time_limit,
    const std::function<bool()>& gives_up = [] { return false; });

}  // namespace bulkhead
