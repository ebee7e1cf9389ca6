// SPDX-License-Identifier: Apache-2.0
// Which actuator writes the groups of this host. One at a time: what is in force was written by one, and only
// it knows how to take it back.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "controller/engine/store.h"
#include "controller/kernel/file_system.h"
#include "controller/monitor/counter_source.h"
#include "controller/resctrl/group_actuator.h"
#include "controller/topology/machine.h"

namespace bulkhead {

// "auto": the one that is in force, else resctrl.
inline constexpr std::array<std::string_view, 4> kActuatorNames{"auto", "resctrl", "pqos-msr", "pqos-os"};

// `asked` is one of kActuatorNames. Throws Error(conflict) where another one is in force, or was interrupted.
std::string choose_actuator(const std::string& asked, Store& store);

// `name` is one of kActuatorNames, but not "auto". What is given must outlive the actuator.
std::unique_ptr<GroupActuator> make_group_actuator(const std::string& name, FileSystem& files,
                                                   const Machine& machine);

// Where the groups that this one writes are counted; null where nothing can count them. `folder` is the
// runtime directory.
std::unique_ptr<CounterSource> make_counter_source(GroupActuator& groups, FileSystem& files,
                                                   const Machine& machine, const std::string& folder);

}  // namespace bulkhead
