// SPDX-License-Identifier: Apache-2.0
// A machine, and a plan on it, as pictures in the terminal. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/cli/style.h"
#include "controller/planner/plan.h"
#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"

namespace bulkhead {

// The groups that letters stand for, in their order: those of the plan that have services, the default group
// too.
std::vector<std::string> lettered_groups(const Plan& plan);

std::string draw_machine(const Machine& machine, const Capabilities& capabilities, const Style& style);

// What stands beside a group's letter on a CCD.
using Figures = std::map<std::pair<std::string, CacheId>, std::string>;

// With `figures` these stand in place of the CPUs.
std::string draw_plan(const Plan& plan, const Machine& machine, const Capabilities& capabilities,
                      const Style& style, const Figures& figures = {});

}  // namespace bulkhead
