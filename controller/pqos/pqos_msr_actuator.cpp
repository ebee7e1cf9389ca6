// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/pqos_msr_actuator.h"

#include <algorithm>
#include <set>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

// Whether the library, which counts by the processor's own numbers, knows every CPU and calls each cache as
// the kernel does.
void require_same_ids(const Machine& machine, const PqosAbilities& abilities) {
  CpuSet unknown = machine.cpus;
  for (const PqosCpu& cpu : abilities.cpus) unknown.erase(cpu.cpu);
  if (!unknown.empty()) {
    throw Error(ErrorCode::unsupported, "libpqos cannot run on the CPUs " + unknown.to_list() +
                                            ", and so does not know their caches");
  }
  for (const PqosCpu& cpu : abilities.cpus) {
    for (const Ccd& ccd : machine.ccds) {
      if (!ccd.cpus.contains(cpu.cpu)) continue;
      const unsigned other = cpu.l3_id != ccd.id.value ? cpu.l3_id : cpu.bandwidth_id;
      if (other == ccd.id.value) continue;
      throw Error(ErrorCode::unsupported, "libpqos has CPU " + std::to_string(cpu.cpu) + " in L3 " +
                                              std::to_string(other) + ", the kernel in L3 " +
                                              to_string(ccd.id));
    }
  }
}

}  // namespace

PqosMsrActuator::PqosMsrActuator(FileSystem& files, const Machine& machine, PqosHelperOptions helper)
    : PqosActuator(machine, PqosInterface::msr, std::move(helper)), presence_(find_resctrl(files)) {}

std::string PqosMsrActuator::lack() {
  if (!lack_) lack_ = find_lack();
  return *lack_;
}

std::string PqosMsrActuator::find_lack() {
  if (presence_.state == ResctrlState::mounted) {
    return "resctrl is mounted on " + presence_.mount_point +
           ", and the kernel overwrites what others write to the registers: use --actuator resctrl, or "
           "unmount "
           "it";
  }
  try {
    require_same_ids(machine_, helper_.abilities());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

Capabilities PqosMsrActuator::capabilities(const std::string&, const std::vector<ObservedGroup>&) {
  Capabilities found;
  if (!usable()) return found;
  const PqosAbilities& abilities = helper_.abilities();
  found.resctrl = true;
  if (const auto& l3 = abilities.l3) {
    found.cdp = l3->cdp;
    found.l3 = CacheCapability{.closids = l3->classes,
                               .full = WayMask::run(0, l3->ways),
                               .min_ways = 1,
                               .shareable = {l3->shareable},
                               .sparse = abilities.amd};
  }
  if (const auto& memory = abilities.memory) {
    found.memory =
        BandwidthCapability{.closids = memory->classes,
                            .unit = abilities.amd ? BandwidthUnit::eighth_gb : BandwidthUnit::percent,
                            .min = memory->min,
                            .granularity = memory->step,
                            .unlimited = memory->unlimited};
  }
  std::set<CacheId> domains;
  for (const PqosCpu& cpu : abilities.cpus) domains.insert(CacheId{cpu.l3_id});
  found.domains.assign(domains.begin(), domains.end());
  closids_ = found.closids();
  return found;
}

std::optional<PqosClass> PqosMsrActuator::read_class(unsigned number) {
  std::vector<PqosClass> classes = read_classes();
  if (number >= classes.size()) return std::nullopt;
  return std::move(classes[number]);
}

PqosActuator::Unused PqosMsrActuator::unused() {
  const PqosAbilities& abilities = helper_.abilities();
  return {.mask = abilities.l3 ? WayMask::run(0, abilities.l3->ways).bits : 0,
          .bandwidth = abilities.memory ? abilities.memory->unlimited : 0};
}

void PqosMsrActuator::keep_cpus(unsigned, const CpuSet&, const CpuSet& gone) {
  helper_.assign_cpus(0, gone);
}

void PqosMsrActuator::require_writable() {
  if (!usable()) throw Error(ErrorCode::unsupported, lack());
}

void PqosMsrActuator::require_host(const Observed& now) {
  require_writable();
  const auto& memory = helper_.abilities().memory;
  for (const ObservedGroup& group : now.groups) {
    const auto values = group.schemata.find(Resource::memory_bandwidth);
    if (!memory || values == group.schemata.end()) continue;
    for (const auto& [id, value] : values->second) {
      if (value <= memory->unlimited) continue;
      throw Error(ErrorCode::unsupported, "the register of L3 " + to_string(id) + " holds the bandwidth " +
                                              std::to_string(value) + ", and libpqos knows values up to " +
                                              std::to_string(memory->unlimited) +
                                              ": what it calls unlimited would be a limit here");
    }
  }
}

}  // namespace bulkhead
