// SPDX-License-Identifier: Apache-2.0
// Capabilities from a mounted resctrl, and why there is none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/planner/plan.h"
#include "controller/topology/capabilities.h"

namespace bulkhead {

enum class ResctrlState {
  mounted,
  not_mounted,   // the kernel has it: mount it
  switched_off,  // the processor has it (cpuinfo flags), the kernel has resctrl and does not use it
  no_kernel,     // the processor has it, the kernel was built without resctrl
  no_feature,    // the processor lacks it
};

std::string_view to_string(ResctrlState state);  // "not_mounted"

struct ResctrlPresence {
  ResctrlState state = ResctrlState::no_feature;
  std::string mount_point;    // where it is mounted, else where it belongs
  std::string mount_options;  // those of resctrl itself ("cdp,mba_MBps"), empty for none
  bool read_only = false;
  std::vector<std::string> cpu_flags;  // of those that matter: rdt_a, cat_l3, cdp_l3, cqm_llc, mba, ...
  std::string explanation;  // one sentence, what it means and the remedy; empty when it can be written
};

ResctrlPresence find_resctrl(FileSystem& files);

// Of the mounted resctrl; `vendor` is Machine::vendor. With `presence` not mounted: nothing but
// resctrl=false. Bandwidth's unlimited value is the largest that any group has in any domain, since the true
// maximum has no file of its own; percent has 100 by definition.
Capabilities read_capabilities(FileSystem& files, const ResctrlPresence& presence, const std::string& vendor);

// The same in two parts: what info/ says, which stays so while resctrl stays mounted, and what the schemata
// of the groups show now, the default group's first.
Capabilities read_info(Directory& resctrl, const std::string& mount_options, const std::string& vendor);
void add_from_groups(const std::vector<Schemata>& groups, Directory& resctrl, Capabilities& capabilities);

}  // namespace bulkhead
