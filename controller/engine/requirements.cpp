// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/requirements.h"

namespace bulkhead {

void require_in_force(const State& state) {
  if (state.policy_text.empty()) throw Error(ErrorCode::not_found, "no policy is in force: apply one first");
}

void require_generation(const State& state, IfGeneration expected) {
  if (!expected || *expected == state.generation) return;
  throw Error(ErrorCode::conflict, "the generation is " + std::to_string(state.generation) + ", not " +
                                       std::to_string(*expected) +
                                       " as expected: the policy was changed meanwhile");
}

bool takes_processes(const Policy& policy, const std::string& service) {
  const Service* found = policy.find_service(service);
  return found != nullptr && found->select.kind == SelectKind::pids;
}

}  // namespace bulkhead
