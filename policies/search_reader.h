// SPDX-License-Identifier: Apache-2.0
// "search": among what an experiment looks for the best.
#pragma once

#include "policies/experiment.h"
#include "policies/value_reader.h"

namespace bulkhead {

void read_search(DiagnosticList& problems, const JsonValue& value, SearchWant& search);

}  // namespace bulkhead
