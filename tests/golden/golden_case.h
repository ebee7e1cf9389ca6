// SPDX-License-Identifier: Apache-2.0
// A golden case: which policy is planned on which machine, beside which foreign groups.
#pragma once

#include <string>
#include <vector>

namespace bulkhead {

// Names of the cases in tests/golden/cases, sorted.
std::vector<std::string> golden_cases();

std::string read_golden(const std::string& name, const std::string& ending);
void write_golden(const std::string& name, const std::string& ending, const std::string& text);

// The text that a case's NAME.plan holds: the plan's JSON, or "error CODE at POINTER: message".
//
// NAME.case is JSON with comments: "machine" is the name of a machine file or one in place; "policy" is a
// path from the repository's root or a policy in place; "tenants" may hold "groups" with "name", "cpus", "l3"
// (masks by CCD, hexadecimal), "exclusive" and "monitoring_groups", beside "monitored_cpus" and
// "default_monitoring_groups".
std::string plan_golden(const std::string& name);

}  // namespace bulkhead
