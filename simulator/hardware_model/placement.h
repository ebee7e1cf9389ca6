// SPDX-License-Identifier: Apache-2.0
// Where services run and what limits them, as the kernel's files say at a moment.
#pragma once

#include <limits>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/way_mask.h"
#include "simulator/hardware_model/machine.h"

namespace bulkhead::sim {

struct CcdLimit {
  WayMask ways;
  double bandwidth = std::numeric_limits<double>::infinity();  // bytes/s
  bool operator==(const CcdLimit&) const = default;
};

// A control group (CLOSID): one limit per CCD, in the machine's order. All its crews share the bandwidth.
using Control = std::vector<CcdLimit>;

struct ThreadSet {
  unsigned threads = 0;
  CpuSet cpus;  // each of the threads may run on all of them
  bool operator==(const ThreadSet&) const = default;
};

// The threads of one service that one monitoring id (RMID) counts.
struct Crew {
  unsigned service = 0;  // index into the services
  unsigned control = 0;  // index into Placement::controls
  unsigned counted = 0;  // any lasting number; occupancy and traffic are kept under it
  std::vector<ThreadSet> threads;
  CpuSet memory_nodes;  // pages lie evenly on these; empty for all nodes
  bool operator==(const Crew&) const = default;
};

struct Placement {
  std::vector<Control> controls;
  std::vector<Crew> crews;  // at most one for a service and counted id
  bool operator==(const Placement&) const = default;
};

Control unlimited(const Machine& machine);

// Bytes/s that a value of the MB line in the schemata allows on a CCD. AMD counts eighths of a GB/s and means
// the largest one as no limit; Intel counts percent, here of what a CCD gets of its node's bandwidth when all
// want it.
double bandwidth_limit(const Machine& machine, const BandwidthShape& shape, unsigned value);

// CPUs of a CCD on which the same threads compete. Weights are by crew: how many of its threads a CPU has on
// average.
struct CpuClass {
  unsigned ccd = 0;
  double cpus = 0;
  bool has_sibling = false;
  std::vector<double> weights;
  std::vector<double> sibling_weights;
};

// Throws Error(internal) if the placement does not fit the machine and the number of services.
std::vector<CpuClass> cpu_classes(const Machine& machine, const Placement& placement, std::size_t services);

}  // namespace bulkhead::sim
