// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cgroup/units.h"

struct sd_bus;

namespace bulkhead {

// Units of the manager that answers on `bus`, of which a reference is taken, and that has its files in
// `folder`. Calls are made from one thread and wait for a few seconds at most, longer where unit files are
// read again.
std::unique_ptr<UnitManager> make_systemd_units(sd_bus* bus, std::string folder);

}  // namespace bulkhead
