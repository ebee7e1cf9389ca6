// SPDX-License-Identifier: Apache-2.0
// What a host can do for policies, what it cannot, and what would change that. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/host/host_facts.h"

namespace bulkhead {

enum class FindingLevel {
  ok,
  note,     // worth knowing
  warning,  // policies can be applied, but something is in the way of some
  problem,  // no policy that divides caches can be applied
};

std::string_view to_string(FindingLevel level);

struct HostFinding {
  FindingLevel level = FindingLevel::ok;
  std::string what;
  std::string remedy;  // empty where there is nothing to do
  bool operator==(const HostFinding&) const = default;
};

std::vector<HostFinding> examine(const HostFacts& facts);

bool can_apply(const std::vector<HostFinding>& findings);  // no problem among them

// What follows from it, in one sentence.
std::string_view conclusion(const HostFacts& facts, const std::vector<HostFinding>& findings);

}  // namespace bulkhead
