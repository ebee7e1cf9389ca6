// SPDX-License-Identifier: Apache-2.0
// Real processes and threads that do nothing, for cases that move them.
#pragma once

#include <map>
#include <set>
#include <sys/types.h>

#include "tests/conformance/host.h"

namespace bulkhead::conformance {

class Processes {
 public:
  Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() { end_all(); }

  Outcome spawn();
  Outcome thread(unsigned of);  // of a process that spawn() made, as is fork's
  Outcome fork(unsigned of);
  Outcome become_zombie(unsigned process);
  Outcome end(unsigned task);
  void end_all();

 private:
  struct Control {
    int commands = -1;  // the pipe's end here
    int answers = -1;
  };

  Outcome ask(unsigned process, char command);

  std::map<pid_t, Control> children_;
  std::map<pid_t, pid_t> threads_;  // -> process
  std::set<pid_t> grandchildren_;
};

}  // namespace bulkhead::conformance
