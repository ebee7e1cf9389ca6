// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/finding_kinds.h"

#include <algorithm>
#include <array>

#include "controller/engine/diff.h"

namespace bulkhead {

std::set<unsigned> strays_of(const Verification& found) {
  std::set<unsigned> strays;
  if (!found.now.resctrl) return strays;
  for (const Step& step : diff_threads(found.plan, found.now)) {
    for (const auto& [thread, group] : step.tasks) strays.insert(thread);
  }
  return strays;
}

bool is_about_threads(const Finding& finding) {
  return finding.kind == "thread_group" || finding.kind == "thread_cpus";
}

bool cannot_be_had(const Verification& found) {
  return std::any_of(found.findings.begin(), found.findings.end(),
                     [](const Finding& finding) { return finding.kind == "plan"; });
}

bool is_contested(const Finding& finding) {
  return finding.kind == "contested";
}

bool is_about_cpus(const Finding& finding) {
  constexpr std::array kOfCpus{"group_cpus",     "monitoring_group", "cpuset",
                               "effective_cpus", "effective_mems",   "thread_cpus"};
  return std::find(kOfCpus.begin(), kOfCpus.end(), finding.kind) != kOfCpus.end();
}

bool is_of_hotplug(const Finding& finding, const Capabilities& capabilities) {
  if (is_about_cpus(finding)) return true;
  if (finding.kind == "mask") return capabilities.l3 && finding.observed == capabilities.l3->full.to_hex();
  const auto is_unlimited = [&](const std::optional<BandwidthCapability>& bandwidth) {
    return bandwidth && finding.observed == std::to_string(bandwidth->unlimited);
  };
  return finding.kind == "bandwidth" &&
         (is_unlimited(capabilities.memory) || is_unlimited(capabilities.slow));
}

std::vector<Finding> differences(const Verification& found) {
  std::vector<Finding> ours = found.findings;
  std::erase_if(ours, is_contested);
  return ours;
}

}  // namespace bulkhead
