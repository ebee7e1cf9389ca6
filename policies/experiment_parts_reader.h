// SPDX-License-Identifier: Apache-2.0
// By which metrics an experiment decides, and for how long it goes on.
#pragma once

#include "policies/experiment_draft.h"
#include "policies/value_reader.h"

namespace bulkhead {

void read_primary(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                  ExperimentDraft& draft);
void read_guards(DiagnosticList& problems, const JsonValue& value, std::vector<Guard>& guards);
void read_limits(DiagnosticList& problems, const JsonValue& value, std::vector<HardLimit>& limits);
void read_load_bands(DiagnosticList& problems, const JsonValue& value, LoadBands& bands);
void read_blocks(DiagnosticList& problems, const JsonValue& value, Experiment& experiment);

}  // namespace bulkhead
