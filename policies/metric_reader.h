// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policies/experiment_draft.h"
#include "policies/value_reader.h"

namespace bulkhead {

// A member of "metrics".
MetricDraft read_metric(DiagnosticList& problems, const JsonValue& value);

}  // namespace bulkhead
