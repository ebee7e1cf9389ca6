// SPDX-License-Identifier: Apache-2.0
// Taking cores or CPUs so that as many CCDs as possible stay whole.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "controller/topology/machine.h"

namespace bulkhead {

CpuSet cpus_of(const Core& core);  // its threads, as a set

struct FreeCore {
  CpuSet cpus;         // its free CPUs
  bool whole = false;  // all of its CPUs are free
};

// The free cores of one CCD, or of all that have no L3.
struct CcdCores {
  std::optional<CacheId> ccd;
  std::vector<FreeCore> cores;
  std::size_t units = 0;  // free ones: whole cores, or CPUs
};

// By CCD, those without an L3 last. With `only_whole`, units are cores with every CPU in `domain` and not
// held.
std::vector<CcdCores> free_cores(const Machine& machine, const CpuSet& domain, const CpuSet& held,
                                 bool only_whole);

std::size_t cores_in(const Machine& machine, const CpuSet& domain);

// `count` cores (with all their CPUs) or CPUs; there must be as many.
CpuSet fill_cores(std::vector<CcdCores> ccds, std::size_t count, bool whole_cores);

}  // namespace bulkhead
