// SPDX-License-Identifier: Apache-2.0
// What follows from the parts of a machine, derived in one place for every source of machines.
#pragma once

#include "controller/topology/machine.h"

namespace bulkhead {

// Of `parts` these count: name, vendor, model, offline, and the ids, CPUs, sizes and ranks of cores, CCDs,
// nodes and sockets. Offline CPUs are taken out of everything, cores, CCDs and sockets that have none left
// vanish, all is put in order, and the rest (CPUs, each core's CCD, each CCD's nodes and socket) is filled
// in. Throws Error(invalid) where the parts contradict each other.
Machine complete_machine(Machine parts);

}  // namespace bulkhead
