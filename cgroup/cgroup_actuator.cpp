// SPDX-License-Identifier: Apache-2.0
#include "cgroup/cgroup_actuator.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cgroup/explain.h"
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

std::vector<unsigned> ids_of(const std::map<unsigned, std::string>& tasks) {
  std::vector<unsigned> ids;
  for (const auto& [id, from] : tasks) ids.push_back(id);
  return ids;
}

// "root invalid (Parent is not a partition root)": the words in brackets.
std::string reason_in(std::string_view state) {
  const auto open = state.find('(');
  const auto close = state.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::string(state);
  return std::string(state.substr(open + 1, close - open - 1));
}

CpuSet all_of(FileSystem& files, std::string_view folder) {
  const auto directory = files.open_directory_if_there(std::string(folder));
  return CpuSet::parse_list(directory ? directory->read_if_there("possible").value_or("") : "");
}

}  // namespace

CgroupActuator::CgroupActuator(FileSystem& files, UnitManager* units)
    : files_(files), units_(units), hierarchy_(find_hierarchy(files)) {
  if (hierarchy_.version == CgroupVersion::none) return;
  root_ = files_.open_directory(hierarchy_.mount_point);
  writer_ = std::make_unique<CpusetWriter>(files_, *root_, hierarchy_.version);
}

CgroupActuator::~CgroupActuator() = default;

Directory& CgroupActuator::root() {
  if (!root_) throw Error(ErrorCode::unsupported, hierarchy_.explanation);
  return *root_;
}

UnitManager& CgroupActuator::units() {
  if (units_ == nullptr)
    throw Error(ErrorCode::unsupported, "systemd does not run here, so no unit can be limited");
  return *units_;
}

std::vector<ObservedCpuset> CgroupActuator::observe(const std::vector<std::string>& paths) {
  std::vector<ObservedCpuset> found;
  for (const std::string& path : paths) {
    try {
      found.push_back(read_cpuset(root(), hierarchy_.version, path));
      found.back().unit = unit_of(path);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
    }
  }
  return found;
}

std::vector<std::string> CgroupActuator::children(const std::string& path) {
  return children_of(root(), path);
}

std::string CgroupActuator::unit_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  // systemd limits CPUs on v2 only; a directory that merely looks like a unit is not one.
  if (units_ == nullptr || hierarchy_.version != CgroupVersion::v2 || !is_unit_name(name)) return {};
  return units_->control_group(name) == path ? name : std::string();
}

std::optional<std::string> CgroupActuator::cgroup_of(const std::string& unit) {
  return units_ == nullptr ? std::nullopt : units_->control_group(unit);
}

std::optional<IdleUnit> CgroupActuator::idle(const std::string& unit) {
  if (units_ == nullptr) return std::nullopt;
  try {
    return IdleUnit{.limits = to_text(units_->limits(unit)), .path = units_->place(unit)};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return std::nullopt;
  }
}

std::vector<std::string> CgroupActuator::take_notes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  const std::vector<std::string> kept = writer_ ? writer_->notes() : std::vector<std::string>{};
  notes.insert(notes.end(), kept.begin(), kept.end());
  return notes;
}

void CgroupActuator::apply(const Step& step) {
  switch (step.kind) {
    case StepKind::enable_cpuset:
      check_cpuset_can_be_enabled(root(), step.target);
      return control_cpuset(step.target, true);
    case StepKind::disable_cpuset:
      return control_cpuset(step.target, false);
    case StepKind::make_cgroup:
      return make_cgroup(step.target);
    case StepKind::remove_cgroup:
      return empty_and_remove(step.target, step.text.empty() ? parent_cgroup(step.target) : step.text);
    case StepKind::write_cpuset_cpus:
      root();
      return writer_->write(step.target, "cpuset.cpus", step.text);
    case StepKind::write_cpuset_mems:
      root();
      return writer_->write(step.target, "cpuset.mems", step.text);
    case StepKind::write_partition:
      return write_partition(step.target, step.text);
    case StepKind::move_processes:
      return move_processes(step.target, ids_of(step.tasks));
    case StepKind::set_unit:
      // Also where the unit has that limit: its cgroup may not.
      return limit_unit(step.target, units().limits(step.target), parse_unit_limits(step.text));
    default:
      throw Error(ErrorCode::internal,
                  "a resctrl step was given to the cgroup tree: " + std::string(to_string(step.kind)));
  }
}

void CgroupActuator::make_cgroup(const std::string& path) {
  try {
    root().make_directory(path.substr(1));
    not_ours_.erase(path);
  } catch (const Error& error) {
    if (error.detail().error_number != EEXIST) throw;
    not_ours_.insert(path);
    ErrorDetail detail = error.detail();
    detail.code = ErrorCode::conflict;
    detail.message += ": another program has made it meanwhile";
    throw Error(std::move(detail));
  }
}

void CgroupActuator::remove_cgroup(const std::string& path) {
  try {
    root().remove_directory(path.substr(1));
  } catch (const Error& error) {
    if (error.detail().error_number != ENOENT) throw;  // gone is what was wanted
  }
}

// Who is forked into it by processes that have left, or are leaving, goes after them.
void CgroupActuator::empty_and_remove(const std::string& path, const std::string& refuge) {
  constexpr int kTries = 20;
  for (int left = kTries;; --left) {
    try {
      return remove_cgroup(path);
    } catch (const Error& error) {
      if (error.detail().error_number != EBUSY || left <= 1) throw;
    }
    move_processes(refuge, processes_in(root(), path));
  }
}

void CgroupActuator::control_cpuset(const std::string& path, bool enable) {
  root().write(file_in_cgroup(path, "cgroup.subtree_control"), enable ? "+cpuset\n" : "-cpuset\n");
}

// The kernel takes the word even where the partition cannot be, and says so only when it is read.
void CgroupActuator::write_partition(const std::string& path, const std::string& wanted) {
  if (hierarchy_.version == CgroupVersion::v1) {
    throw Error(ErrorCode::unsupported, "partition '" + wanted + "' of " + path +
                                            " needs cgroup v2: boot with systemd.unified_cgroup_hierarchy=1");
  }
  const auto file = open_cpuset_file(root(), path, "cpuset.cpus.partition");
  file->write(wanted + '\n');
  const std::string state(trim(file->read()));
  if (state == wanted) return;
  throw Error(ErrorDetail{
      .code = ErrorCode::refused,
      .message = "the kernel takes partition '" + wanted + "' of " + path + " but calls it invalid",
      .path = file->path(),
      .kernel_status = reason_in(state)});
}

void CgroupActuator::move_processes(const std::string& target, const std::vector<unsigned>& processes) {
  const auto file = root().open(file_in_cgroup(target, "cgroup.procs"), Access::read_write);
  for (const unsigned process : processes) {
    try {
      file->write(std::to_string(process) + '\n');
    } catch (const Error& error) {
      if (error.detail().error_number == ESRCH) continue;
      throw explain_move_refusal(error, root(), hierarchy_.version, target);
    }
  }
}

// Where the kernel does not let a cpuset with processes be emptied, systemd passes over the refusal and
// leaves the old CPUs in force. So a limit that goes is first widened to everything.
void CgroupActuator::limit_unit(const std::string& unit, const UnitLimits& now, const UnitLimits& wanted) {
  limited_.insert(unit);
  UnitLimits wide = wanted;
  if (wanted.cpus.empty() && !now.cpus.empty()) wide.cpus = all_of(files_, paths::kCpu);
  if (wanted.memory_nodes.empty() && !now.memory_nodes.empty())
    wide.memory_nodes = all_of(files_, paths::kNode);
  if (wide != wanted) units().set_limits(unit, wide);
  units().set_limits(unit, wanted);
}

void CgroupActuator::settle() {
  if (limited_.empty()) return;
  try {
    units().forget_lifted(limited_);
  } catch (const Error& error) {
    notes_.push_back(
        "systemd keeps files that say of units that their limits were taken away, until the next boot: " +
        std::string(error.what()));
  }
  limited_.clear();
}

}  // namespace bulkhead
