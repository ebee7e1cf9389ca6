// SPDX-License-Identifier: Apache-2.0
// Observes and changes cpusets in the cgroup tree: through systemd for its units, else by the tree's own files.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

  // The cgroups at `paths`, in that order, each with the unit that owns it where systemd runs. One that is not
  // there is left out.
  std::vector<ObservedCpuset> observe(const std::vector<std::string>& paths);

  // Paths of a cgroup's children, sorted; none if it is not there.
  std::vector<std::string> children(const std::string& path);

  // Ids of the processes in the cgroup itself, sorted; none if it is not there.
  std::vector<unsigned> processes(const std::string& path);

  // The cgroup of a process in the hierarchy with cpuset; "/" if it is gone.
  std::string cgroup_of(unsigned process);

  // The unit whose cgroup is `path`; empty if systemd does not run, or the cgroup is inside of a unit.
  std::string unit_of(const std::string& path);

  void apply(const Step& step) override;
  void undo(const Step& step) override;

 private:
  Directory& root();  // throws Error(unsupported) with the hierarchy's explanation where there is none

  FileSystem& files_;
  UnitManager* units_;
  Hierarchy hierarchy_;
  std::unique_ptr<Directory> root_;
};

}  // namespace bulkhead
