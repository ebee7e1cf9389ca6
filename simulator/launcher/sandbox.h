// SPDX-License-Identifier: Apache-2.0
// Namespaces of its own for a command: what it sees of processes and mounts is the simulated host's, and all
// of it goes with the command, whatever the command did.
#pragma once

#include <functional>

#include "controller/base/unique_fd.h"

namespace bulkhead::sim {

// Runs `act` as PID 1 of new mount and PID namespaces; its result is the exit status. When this process dies,
// even by SIGKILL, so does everything in there. Throws Error(permission) without the right to make
// namespaces.
int run_in_sandbox(const std::function<int()>& act);

// In there: a command that is a process already, before this one has threads (a fork has only one of them),
// and that begins when it is run.
class CommandInWaiting {
 public:
  // `prepare` is called in its process before it begins, and returns a descriptor for this one.
  CommandInWaiting(char* const* words, const std::function<UniqueFd()>& prepare);

  // Until it ends, reaping other children and orphans meanwhile, of each of which `ended` is told. `prepared`
  // gets the descriptor before the command begins. The exit status, 128 + the signal that ended it; 127 where
  // it cannot be run. Once only.
  int run(const std::function<void(UniqueFd)>& prepared, const std::function<void(pid_t)>& ended) const;

 private:
  int process_ = -1;
  UniqueFd channel_;
};

}  // namespace bulkhead::sim
