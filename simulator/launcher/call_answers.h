// SPDX-License-Identifier: Apache-2.0
// What system calls answer on the simulated host: those of call_filter.h, by the modelled kernel.
#pragma once

#include "simulator/launcher/call_listener.h"
#include "simulator/launcher/simulated_host.h"

namespace bulkhead::sim {

CallAnswer answer_call(SimulatedHost& host, const Call& call, const RealThread& caller);

}  // namespace bulkhead::sim
