// SPDX-License-Identifier: Apache-2.0
// systemd units: where it runs, it is the single writer of the cgroup tree, and limits go through it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "controller/base/cpu_set.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {

struct UnitLimits {
  CpuSet cpus;          // AllowedCPUs, empty for none
  CpuSet memory_nodes;  // AllowedMemoryNodes
  bool operator==(const UnitLimits&) const = default;
};

// "AllowedCPUs=0-3 AllowedMemoryNodes=", as steps hold them.
std::string to_text(const UnitLimits& limits);
UnitLimits parse_unit_limits(std::string_view text);  // throws Error(invalid)

// Whether a cgroup of this name can be a unit's: it ends in .service, .scope, .slice...
bool is_unit_name(std::string_view name);

// "/a.slice/a-b.slice" of "a-b.slice", "/" of "-.slice".
std::string cgroup_of_slice(std::string_view name);

class UnitManager {
 public:
  virtual ~UnitManager() = default;
  virtual std::optional<std::string> control_group(
      const std::string& unit) = 0;  // nothing if it is not active
  // Also of a unit that does not run. Throws Error(not_found) if there is no such unit.
  virtual UnitLimits limits(const std::string& unit) = 0;
  // The cgroup that it has, or would have if it ran.
  virtual std::string place(const std::string& unit) = 0;
  // Runtime only: gone after a reboot, but not when the unit stops. The cgroup tree has them when this
  // returns.
  virtual void set_limits(const std::string& unit, const UnitLimits& limits) = 0;
  // Removes what systemd still keeps of limits of these units that are now as their files have them. Best
  // done at the end for all: unit files are read again for it, as with systemctl daemon-reload.
  virtual void forget_lifted(const std::set<std::string>& units) = 0;
};

bool runs_systemd(FileSystem& files);

// Over the system bus. Throws Error(unsupported) if it does not answer.
std::unique_ptr<UnitManager> connect_to_systemd();

}  // namespace bulkhead
