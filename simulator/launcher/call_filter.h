// SPDX-License-Identifier: Apache-2.0
// Which system calls of the command the real kernel asks about first: those that only the modelled kernel can
// answer.
#pragma once

#include "controller/base/unique_fd.h"

namespace bulkhead::sim {

// For this process and its children from now on. Returns the descriptor that the questions come from, which
// exec closes. Nobody may make these calls until it is listened to, or they wait. Throws Error(unsupported)
// where the kernel does not ask.
UniqueFd install_call_filter();

}  // namespace bulkhead::sim
