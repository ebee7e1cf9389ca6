// SPDX-License-Identifier: Apache-2.0
// Capabilities from a mounted resctrl, and why there is none.
#pragma once

#include <string>

#include "controller/kernel/file_system.h"
#include "controller/topology/capabilities.h"

namespace bulkhead {

enum class ResctrlState {
  mounted,
  not_mounted,     // the kernel has it: mount it
  switched_off,    // the processor has it (cpuinfo flags), the kernel was told not to use it or was built without
  no_feature,      // the processor lacks it
};

struct ResctrlPresence {
  ResctrlState state = ResctrlState::no_feature;
  std::string mount_options;          // those of resctrl itself ("cdp,mba_MBps"), empty for none
  bool read_only = false;
  std::vector<std::string> cpu_flags;  // of those that matter: rdt_a, cat_l3, cdp_l3, cqm_llc, mba, ...
  std::string explanation;  // one sentence, what it means and the remedy; empty when mounted
};

ResctrlPresence find_resctrl(FileSystem& files);

// Of the mounted resctrl; `vendor` is Machine::vendor. With `presence` not mounted: nothing but resctrl=false.
// `fresh_default`: bandwidth's unlimited value is taken from the default group if that holds the largest value
// seen in any group; the true maximum has no file of its own.
Capabilities read_capabilities(FileSystem& files, const ResctrlPresence& presence, const std::string& vendor);

}  // namespace bulkhead
