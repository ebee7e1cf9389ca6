// SPDX-License-Identifier: Apache-2.0
// Hosts and placements that the tests of this room share.
#pragma once

#include "simulator/hardware_model/placement.h"
#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

// 2 CCDs of 2 cores and 4 CPUs each, a node each: CPUs 0-3 and 4-7, siblings are neighbours.
inline Machine small_machine() {
  KernelShape shape;
  shape.cpus = lay_out({.ccds = 2, .cores = 2, .nodes = 2});
  return machine_of(shape, {.socket_bandwidth = 100e9});
}

inline Control with_ways(const Machine& machine, unsigned first, unsigned count) {
  Control control = unlimited(machine);
  for (CcdLimit& limit : control) limit.ways = WayMask::run(first, count);
  return control;
}

// Service 0 in control group 0, counted as 1; service 1 in control group 1, counted as 2.
inline Placement two_crews(Control first, Control second, const ThreadSet& threads, const ThreadSet& others) {
  return {.controls = {std::move(first), std::move(second)},
          .crews = {{.service = 0, .control = 0, .counted = 1, .threads = {threads}},
                    {.service = 1, .control = 1, .counted = 2, .threads = {others}}}};
}

}  // namespace bulkhead::sim
