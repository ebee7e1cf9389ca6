// SPDX-License-Identifier: Apache-2.0
// An experiment with all that it refers to, read before it starts: what changes on disk later changes
// nothing.
#pragma once

#include <map>
#include <string>

#include "controller/engine/outcomes.h"
#include "policies/experiment.h"

namespace bulkhead {

struct ExperimentInput {
  PolicySource source;                           // of the experiment
  std::string folder;                            // in which its commands run and its pages lie; absolute
  std::map<std::string, PolicySource> policies;  // by what arms call them
};

// The policy of an arm; without text for the host without one.
PolicySource policy_of(const ExperimentInput& input, const ArmWant& arm);

}  // namespace bulkhead
