// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/core_fill.h"

#include <algorithm>
#include <map>

namespace bulkhead {
namespace {

// Adds up to `count` CPUs of the core and returns how many they were.
std::size_t take_cpus(const FreeCore& core, std::size_t count, CpuSet& taken) {
  std::size_t added = 0;
  core.cpus.for_each([&](unsigned cpu) {
    if (added == count) return;
    taken.insert(cpu);
    ++added;
  });
  return added;
}

// Whole cores while they fit, then what is left of cores that others use, and a part of a whole core last.
void take_from_ccd(const CcdCores& ccd, std::size_t count, CpuSet& taken) {
  std::vector<const FreeCore*> split;
  for (const FreeCore& core : ccd.cores) {
    if (core.whole && core.cpus.size() <= count) {
      count -= take_cpus(core, count, taken);
    } else if (core.whole) {
      split.push_back(&core);
    }
  }
  for (const FreeCore& core : ccd.cores) {
    if (!core.whole) count -= take_cpus(core, count, taken);
  }
  for (const FreeCore* core : split) count -= take_cpus(*core, count, taken);
}

void take_whole_cores(const CcdCores& ccd, std::size_t count, CpuSet& taken) {
  for (std::size_t index = 0; index < count; ++index) taken |= ccd.cores[index].cpus;
}

// The CCD to take from next: the one with the fewest free units that suffices, else the one with the most.
// Cores without an L3 only when nothing else is left.
std::size_t next_ccd(const std::vector<CcdCores>& ccds, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t index = 1; index < ccds.size(); ++index) {
    if (!ccds[index].ccd) continue;
    const std::size_t units = ccds[index].units;
    const std::size_t best_units = ccds[best].units;
    const bool better = best_units >= count ? units >= count && units < best_units : units > best_units;
    if (better) best = index;
  }
  return best;
}

}  // namespace

CpuSet cpus_of(const Core& core) {
  CpuSet cpus;
  for (const unsigned cpu : core.cpus) cpus.insert(cpu);
  return cpus;
}

std::vector<CcdCores> free_cores(const Machine& machine, const CpuSet& domain, const CpuSet& held,
                                 bool only_whole) {
  std::map<CacheId, CcdCores> by_ccd;
  CcdCores without_l3;
  for (const Core& core : machine.cores) {
    const CpuSet all = cpus_of(core);
    FreeCore free{.cpus = (all & domain) - held};
    free.whole = free.cpus == all;
    if (free.cpus.empty() || (only_whole && !free.whole)) continue;
    CcdCores& group = core.ccd ? by_ccd[*core.ccd] : without_l3;
    group.ccd = core.ccd;
    group.units += only_whole ? 1 : free.cpus.size();
    group.cores.push_back(std::move(free));
  }
  std::vector<CcdCores> ccds;
  for (auto& [id, cores] : by_ccd) ccds.push_back(std::move(cores));
  if (!without_l3.cores.empty()) ccds.push_back(std::move(without_l3));
  return ccds;
}

std::size_t cores_in(const Machine& machine, const CpuSet& domain) {
  return static_cast<std::size_t>(
      std::count_if(machine.cores.begin(), machine.cores.end(),
                    [&](const Core& core) { return domain.contains(cpus_of(core)); }));
}

CpuSet fill_cores(std::vector<CcdCores> ccds, std::size_t count, bool whole_cores) {
  CpuSet taken;
  while (count != 0) {
    const auto next = ccds.begin() + static_cast<std::ptrdiff_t>(next_ccd(ccds, count));
    const std::size_t part = std::min(count, next->units);
    if (whole_cores) {
      take_whole_cores(*next, part, taken);
    } else {
      take_from_ccd(*next, part, taken);
    }
    count -= part;
    ccds.erase(next);
  }
  return taken;
}

}  // namespace bulkhead
