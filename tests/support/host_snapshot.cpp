// SPDX-License-Identifier: Apache-2.0
#include "tests/support/host_snapshot.h"

#include "controller/base/text.h"

namespace bulkhead::testing {
namespace {

bool is_left_out(const std::string& name, const SnapshotOptions& options) {
  if (name == "last_cmd_status" || name == "mon_data") return true;
  return !options.without_groups.empty() && matches_pattern(name, options.without_groups);
}

void add_folder(sim::KernelModel& kernel, const std::string& path, const SnapshotOptions& options,
                std::string& text) {
  for (const sim::Entry& entry : kernel.list(path).entries) {
    if (is_left_out(entry.name, options)) continue;
    const std::string full = path + '/' + entry.name;
    if (entry.is_directory) {
      text += full + "/\n";
      add_folder(kernel, full, options, text);
      continue;
    }
    const sim::Answer answer = kernel.read(full);
    if (answer.error != 0) continue;  // a threaded cgroup's cgroup.procs
    text += full + ":\n";
    for (const std::string_view line : split(answer.text, '\n')) text += "  " + std::string(line) + '\n';
  }
}

}  // namespace

std::string snapshot(sim::KernelModel& kernel, const SnapshotOptions& options) {
  std::string text;
  for (const char* folder : {"/sys/fs/resctrl", "/sys/fs/cgroup"}) add_folder(kernel, folder, options, text);
  if (!options.tasks) return text;
  for (const auto& [id, task] : kernel.world().tasks) {
    const std::string folder = "/proc/" + std::to_string(id);
    text += "thread " + std::to_string(id) + " of " + std::to_string(task.process) + " " + task.name +
            ": CPUs " + task.allowed.to_list();
    for (const char* name : {"/cpu_resctrl_groups", "/cgroup"}) {
      const sim::Answer answer = kernel.read(folder + name);
      for (const std::string_view line : split(answer.text, '\n')) text += ' ' + std::string(line);
    }
    text += '\n';
  }
  return text;
}

}  // namespace bulkhead::testing
