// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cgroup/units.h"

struct sd_bus;

namespace bulkhead {

// Units of the manager that answers on `bus`, of which a reference is taken. Calls are made from one thread
// and wait for a few seconds at most.
std::unique_ptr<UnitManager> make_systemd_units(sd_bus* bus);

}  // namespace bulkhead
