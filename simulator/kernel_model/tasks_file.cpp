// SPDX-License-Identifier: Apache-2.0
// tasks: single threads move; their later children go where they are.
#include <cerrno>
#include <optional>

#include "simulator/kernel_model/kernel_text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {

std::string Resctrl::print_tasks(const Group& group) {
  std::string text;
  for (const Task* task : world_.by_process()) {
    // Where nothing can be allocated, tasks are matched by RMID only, and those of the default group not at
    // all.
    const bool inside = group.is_control() ? world_.shape.allocates() && task->closid == group.closid
                                           : task->closid == group.closid && task->rmid == group.rmid;
    if (inside) text += std::to_string(task->id) + '\n';
  }
  return text;
}

int Resctrl::write_tasks(Group& group, std::string_view text) {
  command_starts();
  if (!world_.at_least(Generation::linux_6_12)) {
    const ParsedNumber id = parse_int(strip(text));
    if (id.error != 0 || id.value < 0) return EINVAL;
    status_.clear();
    return move_task(group, id.value);
  }
  status_.clear();
  while (!text.empty() && text.front() != '\n') {
    const std::size_t comma = text.find(',');
    const std::string_view item = strip(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const ParsedNumber id = parse_int(item);
    if (id.error != 0) return fail(EINVAL, "Task list parsing error pid " + std::string(item));
    if (id.value < 0) return fail(EINVAL, "Invalid pid " + std::to_string(id.value));
    if (const int error = move_task(group, id.value)) {
      return fail(error, "Error while processing task " + std::to_string(id.value));
    }
  }
  return 0;
}

int Resctrl::move_task(Group& group, std::int64_t id) {
  Task* task = world_.find_task(id == 0 ? world_.writer : id);
  if (task == nullptr) return fail(ESRCH, "No task " + std::to_string(id));
  const unsigned user = world_.calling_user();
  if (user != 0 && user != task->user) {
    return fail(EPERM, "No permission to move task " + std::to_string(id));
  }
  if (!group.is_control() && task->closid != group.closid) {
    return fail(EINVAL, "Can't move task to different control group");
  }
  task->closid = group.closid;
  task->rmid = group.rmid;
  return 0;
}

std::string Resctrl::groups_of(const Task& task) const {
  if (!mounted()) return "res:\nmon:\n";
  const Group* group = root_.get();
  for (const auto& each : groups_) {
    if (each->closid == task.closid) group = each.get();
  }
  std::string text = "res:" + (group == root_.get() ? "/" : group->name) + "\nmon:";
  for (const auto& child : group->monitoring) {
    if (child->rmid == task.rmid) text += child->name;
  }
  return text + '\n';
}

}  // namespace bulkhead::sim
