// SPDX-License-Identifier: Apache-2.0
// What only shows when all parts of an experiment are seen together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policies/diagnostic_list.h"
#include "policies/experiment_draft.h"

namespace bulkhead {

void check_together(DiagnosticList& problems, const ExperimentDraft& draft);

// Arms that are the same, each with one before it. Policies are the same that `policy_of` has the same text
// for.
using PolicyText = std::function<std::string(const std::string& policy)>;
void check_difference(DiagnosticList& problems, const std::vector<ArmWant>& arms,
                      const PolicyText& policy_of);

}  // namespace bulkhead
