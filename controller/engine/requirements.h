// SPDX-License-Identifier: Apache-2.0
// What changes count on before they begin.
#pragma once

#include <string>

#include "controller/engine/engine.h"

namespace bulkhead {

void require_in_force(const State& state);                           // Error(not_found)
void require_generation(const State& state, IfGeneration expected);  // Error(conflict)

// Whether processes can be given to it by hand.
bool takes_processes(const Policy& policy, const std::string& service);

}  // namespace bulkhead
