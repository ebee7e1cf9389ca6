// SPDX-License-Identifier: Apache-2.0
// Whether the kernel holds what the steps wrote. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/engine/targets.h"
#include "controller/planner/observed.h"
#include "controller/planner/step.h"

namespace bulkhead {

// What was asked to be read again: the groups and cgroups that steps wrote to, each once.
struct Written {
  std::vector<std::string> groups;  // control groups
  std::vector<std::string> cgroups;
};
Written written_by(const std::vector<Step>& steps, const Observed& before);

// The first thing that is not as written, as a sentence; nothing if all is.
std::optional<std::string> find_mismatch(const std::vector<Step>& steps,
                                         const std::vector<ObservedGroup>& groups,
                                         const std::vector<ObservedCpuset>& cpusets,
                                         const std::vector<CpusetTarget>& targets, const CpuSet& online);

}  // namespace bulkhead
