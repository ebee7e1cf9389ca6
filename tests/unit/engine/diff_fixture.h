// SPDX-License-Identifier: Apache-2.0
// Hosts and plans by hand, and steps as lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "controller/engine/diff.h"

namespace bulkhead {

inline Schemata l3(std::initializer_list<std::pair<unsigned, std::uint64_t>> masks) {
  Schemata schemata;
  for (const auto& [domain, mask] : masks) schemata[Resource::l3][CacheId{domain}] = mask;
  return schemata;
}

// A host of one CCD with 16 ways, CPUs 0-7, and nothing of ours.
inline Observed fresh_host() {
  Observed now;
  now.resctrl = true;
  now.closids = 4;
  now.groups = {{.name = "", .schemata = l3({{0, 0xffff}}), .cpus = CpuSet::range(0, 7)}};
  return now;
}

inline ControlGroup cpus_group(const std::string& name, const CpuSet& cpus, std::uint64_t mask) {
  return {.name = "bulkhead." + name,
          .services = {name},
          .takes_cpus = true,
          .cpus = cpus,
          .schemata = l3({{0, mask}})};
}

inline ControlGroup tasks_group(const std::string& name, std::uint64_t mask) {
  return {.name = "bulkhead." + name, .services = {name}, .schemata = l3({{0, mask}})};
}

inline std::vector<std::string> lines(const std::vector<Step>& steps) {
  std::vector<std::string> all;
  for (const Step& step : steps) all.push_back(describe(step));
  return all;
}

inline std::vector<std::string> all_lines(const Plan& plan, const Observed& now,
                                          const Baseline& baseline = {}) {
  return lines(diff(plan, now, baseline).steps);
}

using Lines = std::vector<std::string>;

}  // namespace bulkhead
