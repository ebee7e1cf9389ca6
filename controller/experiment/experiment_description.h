// SPDX-License-Identifier: Apache-2.0
// What of a result is known before anything is measured.
#pragma once

#include "controller/experiment/experiment_host.h"
#include "controller/experiment/experiment_input.h"
#include "controller/experiment/result.h"

namespace bulkhead {

// With a plan of each arm's policy for this host; the seed is drawn where none is given. Throws Error where
// the host cannot have one of the policies.
ExperimentResult describe(const Experiment& experiment, const ExperimentInput& input, ExperimentHost& host);

ArmDescription describe(const ArmWant& arm, const PolicySource& policy, ExperimentHost& host);

}  // namespace bulkhead
