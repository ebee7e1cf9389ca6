// SPDX-License-Identifier: Apache-2.0
#include "controller/host/doctor.h"

#include <algorithm>
#include <array>

#include "controller/base/text.h"
#include "controller/host/checks.h"

namespace bulkhead {
namespace {

std::ptrdiff_t problems_in(const std::vector<HostFinding>& findings) {
  return std::count_if(findings.begin(), findings.end(),
                       [](const HostFinding& finding) { return finding.level == FindingLevel::problem; });
}

}  // namespace

std::string_view to_string(FindingLevel level) {
  constexpr std::array<std::string_view, 4> kWords{"ok", "note", "warning", "problem"};
  return kWords[static_cast<std::size_t>(level)];
}

std::vector<HostFinding> examine(const HostFacts& facts) {
  std::vector<HostFinding> findings;
  check_rights(facts, findings);
  check_machine(facts, findings);
  check_resctrl(facts, findings);
  if (facts.capabilities.resctrl) {
    check_cache(facts, findings);
    check_bandwidth(facts, findings);
    check_monitoring(facts, findings);
    check_groups(facts, findings);
  }
  check_counters(facts, findings);
  check_cgroups(facts, findings);
  check_leftovers(facts, findings);
  return findings;
}

bool can_apply(const std::vector<HostFinding>& findings) {
  return problems_in(findings) == 0;
}

std::string_view conclusion(const HostFacts& facts, const std::vector<HostFinding>& findings) {
  if (can_apply(findings)) return "policies can be applied on this host";
  std::vector<HostFinding> of_resctrl;
  check_resctrl(facts, of_resctrl);
  if (problems_in(of_resctrl) < problems_in(findings)) return "policies cannot be applied on this host";
  return "policies that divide caches or bandwidth cannot be applied here; those that only choose CPUs can";
}

}  // namespace bulkhead
