// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/cpu_narrowing.h"

#include <algorithm>
#include <map>
#include <vector>

#include "controller/base/text.h"
#include "controller/planner/core_fill.h"
#include "controller/planner/refusal.h"
#include "controller/planner/want_text.h"

namespace bulkhead {
namespace {

std::size_t kept_cores(const CpuWant& want, std::size_t there, CacheId ccd, const std::string& service) {
  if (const auto* percent = std::get_if<Percent>(&want.cores_per_ccd)) {
    return std::clamp<std::size_t>(percent->of(there), 1, there);
  }
  const unsigned number = std::get<unsigned>(want.cores_per_ccd);
  if (number > there) {
    refuse(ErrorCode::infeasible, want.place,
           service + " wants " + count_of(number, CpuScope::cores) + " of each CCD, but there " +
               (there == 1 ? "is " : "are ") + std::to_string(there) + " of CCD " + to_string(ccd) +
               " among its CPUs");
  }
  return number;
}

CpuSet first_cores(const CpuWant& want, const Machine& machine, const CpuSet& cpus,
                   const std::string& service) {
  std::map<CacheId, std::vector<CpuSet>> cores;
  for (const Core& core : machine.cores) {
    CpuSet chosen = cpus_of(core) & cpus;
    if (core.ccd && !chosen.empty()) cores[*core.ccd].push_back(std::move(chosen));
  }
  CpuSet kept;
  for (const auto& [ccd, members] : cores) {
    const std::size_t count = kept_cores(want, members.size(), ccd, service);
    for (std::size_t index = 0; index < count; ++index) kept |= members[index];
  }
  return kept;
}

CpuSet some_threads(const CpuWant& want, const Machine& machine, const CpuSet& cpus,
                    const std::string& service) {
  CpuSet kept;
  const std::size_t end = std::size_t{want.thread} + *want.threads_per_core;
  for (const Core& core : machine.cores) {
    if (!cpus_of(core).intersects(cpus)) continue;
    if (core.cpus.size() < end) {
      refuse(ErrorCode::infeasible, want.place,
             service + " wants thread " + std::to_string(end - 1) + " of each core, but the core of CPU " +
                 std::to_string(core.cpus.front()) + " has " +
                 (core.cpus.size() == 1 ? "only thread 0 online: SMT is off, or its sibling is offline"
                                        : counted(core.cpus.size(), "thread") + ", counted from 0"));
    }
    for (std::size_t thread = want.thread; thread < end; ++thread) {
      if (cpus.contains(core.cpus[thread])) kept.insert(core.cpus[thread]);
    }
  }
  return kept;
}

}  // namespace

CpuSet narrow_cpus(const CpuWant& want, const Machine& machine, const CpuSet& cpus,
                   const std::string& service) {
  CpuSet narrowed = cpus;
  if (!std::holds_alternative<std::monostate>(want.cores_per_ccd)) {
    narrowed = first_cores(want, machine, narrowed, service);
  }
  if (want.threads_per_core) narrowed = some_threads(want, machine, narrowed, service);
  if (narrowed.empty()) {
    refuse(ErrorCode::infeasible, want.place,
           service + " wants " + describe(want) + ", which leaves none of " + name_cpus(cpus));
  }
  return narrowed;
}

}  // namespace bulkhead
