// SPDX-License-Identifier: Apache-2.0
#include "controller/host/gather_counters.h"

#include "controller/monitor/perf_opener.h"

namespace bulkhead {
namespace {

// Opens, on one CPU, what the watch opens on many, so that a refusal is known beforehand.
std::vector<std::string> find_refusals(PerfSystem& perf, const HostFacts& facts, const Pmu& pmu) {
  if (pmu.cores.empty() || facts.machine.cpus.empty()) return {};
  const CpuSet cpus = pmu.cores.front().cpus & facts.machine.cpus;
  if (cpus.empty()) return {};
  PerfOpener opener(perf, pmu.paranoid, kMostPerfEvents);
  const PerfTarget target{.cpu = cpus.first(), .cgroup = {}, .thread = {}};
  opener.open(pmu.service_events, {{pmu.cores.front().type, target}}, 0);
  return opener.lacks();
}

}  // namespace

CounterFacts gather_counters(FileSystem& files, PerfSystem& perf, const HostFacts& facts) {
  CounterFacts counters;
  if (facts.presence.state == ResctrlState::mounted && facts.resctrl_problem.empty()) {
    const auto resctrl = files.open_directory_if_there(facts.presence.mount_point);
    if (resctrl != nullptr) counters.monitoring = read_monitoring_info(*resctrl);
    counters.held_rmids = 1 + facts.groups.size() + facts.default_monitoring;
    for (const GroupFacts& group : facts.groups) counters.held_rmids += group.monitoring;
  }
  counters.pmu = find_pmu(files, facts.machine);
  counters.refusals = find_refusals(perf, facts, counters.pmu);
  return counters;
}

}  // namespace bulkhead
