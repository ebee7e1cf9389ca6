// SPDX-License-Identifier: Apache-2.0
// The policy that a verb is about: read, and every problem of it told.
#pragma once

#include <optional>

#include "controller/cli/verbs.h"
#include "controller/engine/engine.h"
#include "policies/policy.h"

namespace bulkhead {

struct PolicyInput {
  PolicySource source;
  Policy policy;
};

// Nothing where the policy is wrong: then all diagnostics are told already, and the verb ends with
// exit_status(ErrorCode::invalid).
std::optional<PolicyInput> read_policy_input(Call& call);

}  // namespace bulkhead
