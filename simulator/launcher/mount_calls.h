// SPDX-License-Identifier: Apache-2.0
// mount(2), umount2(2) and fsopen(2) of the modelled filesystems. All others are the real kernel's; none of
// its own resctrl and cgroups is ever mounted.
#pragma once

#include "simulator/launcher/call_listener.h"
#include "simulator/launcher/simulated_host.h"

namespace bulkhead::sim {

CallAnswer answer_mount(SimulatedHost& host, const Call& call, const RealThread& caller);
CallAnswer answer_unmount(SimulatedHost& host, const Call& call, const RealThread& caller);
CallAnswer answer_open_filesystem(SimulatedHost& host, const Call& call, const RealThread& caller);

}  // namespace bulkhead::sim
