// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/world.h"

#include <algorithm>

namespace bulkhead::sim {

unsigned World::calling_user() const {
  const auto task = tasks.find(writer);
  return task == tasks.end() ? 0 : task->second.user;
}

Task* World::find_task(std::int64_t id) {
  if (id < 0) return nullptr;
  const auto found = tasks.find(static_cast<unsigned>(id));
  return found == tasks.end() ? nullptr : &found->second;
}

std::vector<Task*> World::threads_of(unsigned process) {
  std::vector<Task*> threads;
  for (auto task = tasks.lower_bound(process); task != tasks.end(); ++task) {
    if (task->second.process == process) threads.push_back(&task->second);
  }
  return threads;
}

std::vector<Task*> World::by_process() {
  std::vector<Task*> all;
  for (auto& [id, task] : tasks) all.push_back(&task);
  std::stable_sort(all.begin(), all.end(),
                   [](const Task* a, const Task* b) { return a->process < b->process; });
  return all;
}

}  // namespace bulkhead::sim
