// SPDX-License-Identifier: Apache-2.0
// The processes and threads of a PID namespace, as tasks of the modelled kernel. They are looked at when
// somebody asks for tasks: who has begun since then is where its creator was then.
#pragma once

#include <set>
#include <string>

#include "controller/base/unique_fd.h"
#include "simulator/kernel_model/kernel_model.h"
#include "simulator/launcher/placement_marks.h"

namespace bulkhead::sim {

class RealTasks {
 public:
  // `proc` is a mounted procfs of the namespace. The model's own first tasks go, but PID 1.
  RealTasks(const std::string& proc, KernelModel& kernel);

  void update();
  void note_places();  // after tasks have been moved

  struct Stat {  // of /proc/PID/stat
    std::string name;
    bool zombie = false;
    unsigned parent = 0;
  };

 private:
  std::set<unsigned> numbers_in(const std::string& folder) const;
  void look_at(unsigned process, const std::set<unsigned>& threads);
  void adopt(unsigned process, const Stat& stat, const std::set<unsigned>& threads);
  void adopt_one(unsigned thread, unsigned process, unsigned parent, const NewProcess& what);

  UniqueFd proc_;
  KernelModel& kernel_;
  PlacementMarks marks_;
  std::set<unsigned> known_;  // threads
};

}  // namespace bulkhead::sim
