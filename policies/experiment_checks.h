// SPDX-License-Identifier: Apache-2.0
// What only shows when all parts of an experiment are seen together.
#pragma once

#include "policies/diagnostic_list.h"
#include "policies/experiment_draft.h"

namespace bulkhead {

void check_together(DiagnosticList& problems, const ExperimentDraft& draft);

}  // namespace bulkhead
