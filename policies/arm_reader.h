// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policies/experiment.h"
#include "policies/value_reader.h"

namespace bulkhead {

// A member of "arms".
ArmWant read_arm(DiagnosticList& problems, const JsonValue& value);

// The words of a program and its arguments; empty, and refused, where they are none.
std::vector<std::string> read_words(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword);

}  // namespace bulkhead
