// SPDX-License-Identifier: Apache-2.0
// A plan for people: picture, what each service asked for and gets, notes. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/cli/style.h"
#include "controller/engine/effect_now.h"
#include "controller/planner/plan.h"
#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"

namespace bulkhead {

// `now` has one entry a service, or none where the machine is not this host.
std::string plan_report(const Plan& plan, const Machine& machine, const Capabilities& capabilities,
                        const std::vector<EffectNow>& now, const std::vector<std::string>& waiting,
                        const Style& style);

}  // namespace bulkhead
