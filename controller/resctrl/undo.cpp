// SPDX-License-Identifier: Apache-2.0
// Undoing steps that may or may not have been done: each compares with what is there now and writes the
// difference.
#include <cerrno>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/paths.h"
#include "controller/resctrl/group_files.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/resctrl_actuator.h"
#include "controller/resctrl/schemata.h"
#include "controller/resctrl/task_mover.h"

namespace bulkhead {
namespace {

// `before` without domains that have gone since, with their last CPU.
Schemata still_there(const Schemata& before, const Schemata& now) {
  Schemata result;
  for (const auto& [resource, values] : before) {
    const auto line = now.find(resource);
    if (line == now.end()) continue;
    for (const auto& [domain, value] : values) {
      if (line->second.contains(domain)) result[resource][domain] = value;
    }
  }
  return result;
}

CpuSet online_cpus(FileSystem& files) {
  return CpuSet::parse_list(files.open_directory(std::string(paths::kCpu))->read("online"));
}

}  // namespace

void ResctrlActuator::undo(const Step& step) {
  groups();
  switch (step.kind) {
    case StepKind::make_group:
      return undo_make_group(step.target);
    case StepKind::remove_group:
      return restore_group(step.target, step.image);
    case StepKind::write_schemata:
      return restore_schemata(step.target, step.before);
    case StepKind::write_cpus:
      return restore_cpus(step.target, step.before);
    case StepKind::move_tasks:
      return restore_tasks(step.target, step.tasks);
    default:
      throw Error(ErrorCode::internal,
                  "a cgroup step was given to resctrl: " + std::string(to_string(step.kind)));
  }
}

// The kernel moves the tasks and CPUs in it to the default group, or of a monitoring group to its parent.
void ResctrlActuator::undo_make_group(const std::string& group) {
  if (!not_ours_.contains(group)) remove_group(group);
}

void ResctrlActuator::restore_group(const std::string& group, const GroupImage& image) {
  if (!groups().exists(group)) make_group(group);
  if (!image.schemata.empty()) restore_schemata(group, image.schemata);
  if (!image.cpus.empty()) restore_cpus(group, image.cpus);
  const std::map<unsigned, std::string> where = mover().locate(control_group_of(group));
  std::map<unsigned, std::string> missing;
  for (const unsigned task : image.tasks) {
    const auto found = where.find(task);
    // A task in a monitoring group of the control group is in the control group, too.
    if (found != where.end() && (found->second == group || !is_monitoring_path(group))) continue;
    missing[task] = found == where.end() ? std::string() : found->second;
  }
  mover().move(group, missing);
}

void ResctrlActuator::restore_schemata(const std::string& group, const std::string& before) {
  const auto text = groups().read(group, "schemata");
  if (!text) return;
  const Schemata now = parse_schemata(*text);
  const std::string change = render_schemata_change(now, still_there(parse_schemata(before), now));
  if (!change.empty()) write_schemata(group, change);
}

void ResctrlActuator::restore_cpus(const std::string& group, const std::string& before) {
  const auto text = groups().read(group, "cpus_list");
  if (!text) return;
  const CpuSet wanted = CpuSet::parse_list(before) & online_cpus(files_);
  if (CpuSet::parse_list(*text) != wanted) groups().write(group, "cpus_list", wanted.to_list() + '\n');
}

// Only tasks that are still where the step put them, or half-way there, go back: others have ended, were
// never moved, or were moved on by somebody else.
void ResctrlActuator::restore_tasks(const std::string& target, const std::map<unsigned, std::string>& tasks) {
  std::map<std::string, std::map<unsigned, std::string>> back;
  for (const auto& [task, here] : mover().locate(control_group_of(target))) {
    const auto moved = tasks.find(task);
    if (moved != tasks.end() && moved->second != here) back[moved->second][task] = here;
  }
  for (const auto& [group, members] : back) {
    if (groups().exists(group)) mover().move(group, members);
  }
}

}  // namespace bulkhead
