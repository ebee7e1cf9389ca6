// SPDX-License-Identifier: Apache-2.0
#include "controller/host/doctor.h"

#include <algorithm>
#include <array>

#include "controller/base/text.h"
#include "controller/host/checks.h"

namespace bulkhead {

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
  return std::none_of(findings.begin(), findings.end(),
                      [](const HostFinding& finding) { return finding.level == FindingLevel::problem; });
}

}  // namespace bulkhead
