// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/task_mover.h"

#include <algorithm>
#include <cerrno>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/kernel_status.h"

namespace bulkhead {
namespace {

// One write takes 4096 bytes; an id has at most 7 digits, and a comma.
constexpr std::size_t kBatch = 500;

}  // namespace

void TaskMover::move(const std::string& target, const std::map<unsigned, std::string>& tasks) {
  const std::string control = control_group_of(target);
  std::vector<unsigned> all;
  std::vector<unsigned> strangers;
  for (const auto& [task, from] : tasks) {
    all.push_back(task);
    if (control_group_of(from) != control) strangers.push_back(task);
  }
  if (is_monitoring_path(target)) write_all(control, strangers);
  write_all(target, all);
}

void TaskMover::write_all(const std::string& group, std::span<const unsigned> tasks) {
  while (!tasks.empty()) {
    if (tasks.size() == 1 || lists_ == Lists::refused) {
      write_one(group, tasks.front());
      tasks = tasks.subspan(1);
    } else {
      tasks = tasks.subspan(write_list(group, tasks.first(std::min(kBatch, tasks.size()))));
    }
  }
}

// How many of the tasks are dealt with: moved, or found to have ended.
std::size_t TaskMover::write_list(const std::string& group, std::span<const unsigned> tasks) {
  std::string text;
  for (const unsigned task : tasks) text += std::to_string(task) + ',';
  text.back() = '\n';
  try {
    groups_.write(group, "tasks", text);
    lists_ = Lists::taken;
    return tasks.size();
  } catch (const Error& error) {
    const std::string& status = error.detail().kernel_status;
    // Kernels without lists say nothing of the task, and may leave an older command's words.
    if (lists_ == Lists::unknown && error.detail().error_number == EINVAL && !task_stopped_at(status)) {
      lists_ = Lists::refused;
      return 0;
    }
    if (error.detail().error_number != ESRCH) throw;
    lists_ = Lists::taken;
    const auto stopped = std::find(tasks.begin(), tasks.end(), task_stopped_at(status).value_or(0));
    if (stopped != tasks.end()) return static_cast<std::size_t>(stopped - tasks.begin()) + 1;
    write_one(group, tasks.front());  // where the kernel does not name the task, each is tried
    return 1;
  }
}

void TaskMover::write_one(const std::string& group, unsigned task) {
  try {
    groups_.write(group, "tasks", std::to_string(task) + '\n');
  } catch (const Error& error) {
    if (error.detail().error_number != ESRCH) throw;
  }
}

std::map<unsigned, std::string> TaskMover::locate(const std::string& control_group) {
  std::map<unsigned, std::string> found;
  for (const unsigned task : tasks_of(control_group)) found[task] = control_group;
  const std::string folder = in_group(control_group, kMonitoringFolder);
  for (const std::string& name : groups_.list(folder)) {
    const std::string group = folder + '/' + name;
    for (const unsigned task : tasks_of(group)) found[task] = group;
  }
  return found;
}

std::vector<unsigned> TaskMover::tasks_of(const std::string& group) {
  std::vector<unsigned> tasks;
  const std::string content = groups_.read(group, "tasks").value_or("");
  for (const std::string_view line : split(content, '\n')) {
    const auto task = parse_integer<unsigned>(trim(line));
    // 0 is a thread that this process's pid namespace does not show.
    if (task && *task != 0) tasks.push_back(*task);
  }
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

}  // namespace bulkhead
