// SPDX-License-Identifier: Apache-2.0
// The visible state of a modelled host as text, so that a test can say "byte-identical to before".
#pragma once

#include <string>

#include "simulator/kernel_model/kernel_model.h"

namespace bulkhead::testing {

struct SnapshotOptions {
  std::string without_groups;  // pattern of names of groups and cgroups to leave out, "bulkhead.*"
  bool tasks = true;           // where each thread is, and its allowed CPUs
};

// Every readable file of resctrl and of the cgroup hierarchies ("PATH:" and the content, indented), and each
// thread's groups and CPUs. Left out are counters and info/last_cmd_status, which reading or commands change.
std::string snapshot(sim::KernelModel& kernel, const SnapshotOptions& options = {});

}  // namespace bulkhead::testing
