// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/step.h"

#include <algorithm>
#include <array>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

struct KindRow {
  StepKind kind;
  std::string_view word;
  bool resctrl;
};

constexpr std::array kKinds{
    KindRow{StepKind::make_group, "make_group", true},
    KindRow{StepKind::remove_group, "remove_group", true},
    KindRow{StepKind::write_schemata, "write_schemata", true},
    KindRow{StepKind::write_cpus, "write_cpus", true},
    KindRow{StepKind::move_tasks, "move_tasks", true},
    KindRow{StepKind::enable_cpuset, "enable_cpuset", false},
    KindRow{StepKind::make_cgroup, "make_cgroup", false},
    KindRow{StepKind::remove_cgroup, "remove_cgroup", false},
    KindRow{StepKind::disable_cpuset, "disable_cpuset", false},
    KindRow{StepKind::write_cpuset_cpus, "write_cpuset_cpus", false},
    KindRow{StepKind::write_cpuset_mems, "write_cpuset_mems", false},
    KindRow{StepKind::write_partition, "write_partition", false},
    KindRow{StepKind::move_processes, "move_processes", false},
    KindRow{StepKind::set_unit, "set_unit", false},
};

const KindRow& row_of(StepKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const KindRow& row) { return row.kind == kind; });
}

// A text of several lines on one: "L3:0=fff MB:0=2048".
std::string on_one_line(std::string_view text) {
  std::string line(trim(text));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? "nothing" : line;
}

std::string group_name(const std::string& target) {
  return target.empty() ? "the default group" : target;
}

// Where libpqos has numbers for groups, the one that this group has.
std::string class_of(const Step& step) {
  return step.text.empty() ? "" : " (" + step.text + ')';
}

std::string change(const Step& step) {
  return on_one_line(step.text) + " (was " + on_one_line(step.before) + ')';
}

}  // namespace

std::string_view to_string(StepKind kind) {
  return row_of(kind).word;
}

std::optional<StepKind> parse_step_kind(std::string_view word) {
  for (const KindRow& row : kKinds) {
    if (row.word == word) return row.kind;
  }
  return std::nullopt;
}

bool is_resctrl(StepKind kind) {
  return row_of(kind).resctrl;
}

std::string describe(const Step& step) {
  switch (step.kind) {
    case StepKind::make_group:
      return "make group " + step.target + class_of(step);
    case StepKind::remove_group:
      return "remove group " + step.target + class_of(step);
    case StepKind::write_schemata:
      return group_name(step.target) + ": schemata " + change(step);
    case StepKind::write_cpus:
      return group_name(step.target) + ": CPUs " + change(step);
    case StepKind::move_tasks:
      return group_name(step.target) + ": move in " + counted(step.tasks.size(), "thread");
    case StepKind::enable_cpuset:
      return step.target + ": enable cpuset for its children";
    case StepKind::make_cgroup:
      return "make cgroup " + step.target;
    case StepKind::remove_cgroup:
      return "remove cgroup " + step.target;
    case StepKind::disable_cpuset:
      return step.target + ": disable cpuset for its children";
    case StepKind::write_cpuset_cpus:
      return step.target + ": cpuset.cpus " + change(step);
    case StepKind::write_cpuset_mems:
      return step.target + ": cpuset.mems " + change(step);
    case StepKind::write_partition:
      return step.target + ": partition " + change(step);
    case StepKind::move_processes:
      return step.target + ": move in " + std::to_string(step.tasks.size()) +
             (step.tasks.size() == 1 ? " process" : " processes");
    case StepKind::set_unit:
      return step.target + ": " + change(step);
  }
  return {};
}

}  // namespace bulkhead
