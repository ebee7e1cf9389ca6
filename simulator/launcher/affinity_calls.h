// SPDX-License-Identifier: Apache-2.0
// sched_setaffinity(2) and sched_getaffinity(2) on the simulated CPUs.
#pragma once

#include "simulator/launcher/call_listener.h"
#include "simulator/launcher/simulated_host.h"

namespace bulkhead::sim {

CallAnswer answer_set_affinity(SimulatedHost& host, const Call& call, const RealThread& caller);
CallAnswer answer_get_affinity(SimulatedHost& host, const Call& call, const RealThread& caller);

}  // namespace bulkhead::sim
