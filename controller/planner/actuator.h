// SPDX-License-Identifier: Apache-2.0
// How steps reach a kernel. resctrl and the cgroup tree implement it, libpqos can; the engine knows no other
// way.
#pragma once

#include <string>
#include <vector>

#include "controller/planner/step.h"

namespace bulkhead {

class Actuator {
 public:
  virtual ~Actuator() = default;

  // Does the step. Error carries the path, errno and the kernel's own words. What a step changed before it
  // failed half-way (a batch of tasks) is undone by undo(step), too.
  virtual void apply(const Step& step) = 0;

  // Restores what stood before, whether or not the step was ever done: after a crash nobody knows. What has
  // gone meanwhile (a thread, a removed cgroup) is passed over. Writes nothing where it already is as before.
  virtual void undo(const Step& step) = 0;

  // Once after the last step of a transaction, and after the last undo: what no step is worth by itself. Does
  // not fail; what did not work is among the notes.
  virtual void settle() {}

  // What came out otherwise than the steps say, with the same effect, and what settle() did; for people. What
  // has happened is told once, what still stands each time.
  virtual std::vector<std::string> take_notes() { return {}; }
};

}  // namespace bulkhead
