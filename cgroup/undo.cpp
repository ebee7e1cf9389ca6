// SPDX-License-Identifier: Apache-2.0
// Undoing steps that may or may not have been done: each compares with what is there now and writes the
// difference.
#include <algorithm>
#include <cerrno>

#include "cgroup/cgroup_actuator.h"
#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

std::vector<std::string_view> words_of(const std::string& text) {
  return split(trim(text), ' ');
}

bool lists_cpuset(const std::optional<std::string>& controllers) {
  if (!controllers) return false;
  const auto words = words_of(*controllers);
  return std::find(words.begin(), words.end(), "cpuset") != words.end();
}

}  // namespace

void CgroupActuator::undo(const Step& step) {
  switch (step.kind) {
    case StepKind::enable_cpuset:
    case StepKind::disable_cpuset: {
      const bool was_enabled = step.kind == StepKind::disable_cpuset || lists_cpuset(step.before);
      const auto now = root().read_if_there(file_in_cgroup(step.target, "cgroup.subtree_control"));
      if (!now || lists_cpuset(now) == was_enabled) return;
      try {
        return control_cpuset(step.target, was_enabled);
      } catch (const Error& error) {
        if (error.detail().error_number != EBUSY) throw;
        notes_.push_back("cpuset stays enabled below " + step.target +
                         ": another program has begun to use it there");
        return;
      }
    }
    case StepKind::make_cgroup:
      return undo_make_cgroup(step.target);
    case StepKind::remove_cgroup: {
      if (!root().exists(step.target.substr(1))) make_cgroup(step.target);
      const UnitLimits had = parse_unit_limits(step.before);
      writer_->restore(step.target, "cpuset.cpus", had.cpus.to_list());
      return writer_->restore(step.target, "cpuset.mems", had.memory_nodes.to_list());
    }
    case StepKind::write_cpuset_cpus:
      root();
      return writer_->restore(step.target, "cpuset.cpus", step.before);
    case StepKind::write_cpuset_mems:
      root();
      return writer_->restore(step.target, "cpuset.mems", step.before);
    case StepKind::write_partition:
      return undo_partition(step.target, step.before);
    case StepKind::move_processes:
      return undo_move(step);
    case StepKind::set_unit:
      return undo_unit(step.target, parse_unit_limits(step.before));
    default:
      throw Error(ErrorCode::internal,
                  "a resctrl step was given to the cgroup tree: " + std::string(to_string(step.kind)));
  }
}

// Processes that were forked into it after the ones we moved went back go to its parent.
void CgroupActuator::undo_make_cgroup(const std::string& path) {
  if (!not_ours_.contains(path)) empty_and_remove(path, parent_cgroup(path));
}

// A partition that was invalid before is asked for again, and may be valid or not as then.
void CgroupActuator::undo_partition(const std::string& path, const std::string& before) {
  const auto now = root().read_if_there(file_in_cgroup(path, "cpuset.cpus.partition"));
  const auto word = [](const std::string& state) {
    const auto words = words_of(state);
    return words.empty() ? std::string() : std::string(words.front());
  };
  const bool was_valid = before.find("invalid") == std::string::npos;
  if (now && !before.empty() && trim(*now) != before && (was_valid || word(*now) != word(before))) {
    root().write(file_in_cgroup(path, "cpuset.cpus.partition"), word(before) + '\n');
  }
}

void CgroupActuator::undo_move(const Step& step) {
  std::map<std::string, std::vector<unsigned>> back;
  for (const unsigned process : processes_in(root(), step.target)) {
    const auto moved = step.tasks.find(process);
    if (moved != step.tasks.end()) back[moved->second].push_back(process);
  }
  for (const auto& [path, processes] : back) {
    if (path == "/" || root().exists(path.substr(1))) move_processes(path, processes);
  }
}

void CgroupActuator::undo_unit(const std::string& unit, const UnitLimits& before) {
  try {
    const UnitLimits now = units().limits(unit);
    limited_.insert(unit);  // it may have got there without what follows
    if (now != before) limit_unit(unit, now, before);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;  // a unit that is gone has no limits
  }
}

}  // namespace bulkhead
