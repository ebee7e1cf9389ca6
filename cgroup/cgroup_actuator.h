// SPDX-License-Identifier: Apache-2.0
// Observes and changes cpusets in the cgroup tree: through systemd for its units, else by the tree's own
// files.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cgroup/cpuset_writer.h"
#include "cgroup/hierarchy.h"
#include "cgroup/units.h"
#include "controller/kernel/file_system.h"
#include "controller/planner/actuator.h"
#include "controller/planner/observed.h"

namespace bulkhead {

class CgroupActuator : public Actuator {
 public:
  // `units` may be null: no systemd. Both must outlive the actuator.
  CgroupActuator(FileSystem& files, UnitManager* units);
  ~CgroupActuator() override;

  const Hierarchy& hierarchy() const { return hierarchy_; }

  // The cgroups at `paths`, in that order, each with the unit that owns it where systemd runs. One that is
  // not there is left out.
  std::vector<ObservedCpuset> observe(const std::vector<std::string>& paths);

  // Paths of a cgroup's children, sorted; none if it is not there.
  std::vector<std::string> children(const std::string& path);

  // The unit whose cgroup is `path`; empty if systemd does not run, or the cgroup is inside of a unit.
  std::string unit_of(const std::string& path);

  // The cgroup of a unit; nothing if it does not run, or systemd does not.
  std::optional<std::string> cgroup_of(const std::string& unit);

  // Nothing where there is no such unit any more.
  std::optional<IdleUnit> idle(const std::string& unit);

  // What an undo, or emptying a cpuset, could not bring back exactly, for people.
  std::vector<std::string> take_notes() override;

  void apply(const Step& step) override;
  void undo(const Step& step) override;
  void settle() override;

 private:
  Directory& root();  // throws Error(unsupported) with the hierarchy's explanation where there is none
  UnitManager& units();

  void make_cgroup(const std::string& path);
  void remove_cgroup(const std::string& path);
  void empty_and_remove(const std::string& path, const std::string& refuge);
  void control_cpuset(const std::string& path, bool enable);
  void write_partition(const std::string& path, const std::string& wanted);
  void limit_unit(const std::string& unit, const UnitLimits& now, const UnitLimits& wanted);
  void move_processes(const std::string& target, const std::vector<unsigned>& processes);

  void undo_make_cgroup(const std::string& path);
  void undo_partition(const std::string& path, const std::string& before);
  void undo_move(const Step& step);
  void undo_unit(const std::string& unit, const UnitLimits& before);

  FileSystem& files_;
  UnitManager* units_;
  Hierarchy hierarchy_;
  std::unique_ptr<Directory> root_;
  std::unique_ptr<CpusetWriter> writer_;
  std::set<std::string> not_ours_;  // cgroups that could not be made because they were there already
  std::set<std::string> limited_;   // units, to be settled
  std::vector<std::string> notes_;
};

}  // namespace bulkhead
