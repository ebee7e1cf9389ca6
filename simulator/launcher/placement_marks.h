// SPDX-License-Identifier: Apache-2.0
// Where the modelled kernel has a real thread, kept in something that the real kernel hands to all that the
// thread makes: its timer slack. A child is known by it to be where its parent was, even if that has ended by
// whatever signal before anybody looked. A mark is a few ns more than usual.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "simulator/kernel_model/world.h"

namespace bulkhead::sim {

class PlacementMarks {
 public:
  // `proc` is a descriptor of a procfs, and must outlive this.
  explicit PlacementMarks(int proc);

  // Where its creator was: a task with that placement. Nothing for a thread without a mark.
  const Task* inherited(unsigned thread);
  // Marks threads that are somewhere else than their marks say. Who has chosen a slack keeps it until then.
  void mark(const std::map<unsigned, Task>& tasks);

 private:
  std::optional<std::uint64_t> slack_of(unsigned thread) const;
  std::size_t place_of(const Task& task);

  int proc_;
  std::uint64_t usual_;                      // ns
  std::vector<Task> places_;                 // mark n + 1 means places_[n]
  std::map<unsigned, std::size_t> of_task_;  // its index in places_
  std::set<unsigned> strangers_;             // threads whose programs have set the slack themselves
};

}  // namespace bulkhead::sim
