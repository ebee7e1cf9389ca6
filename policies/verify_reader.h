// SPDX-License-Identifier: Apache-2.0
// "verify": what counts as holding.
#pragma once

#include "policies/keywords.h"
#include "policies/policy.h"

namespace bulkhead {

void read_verify(DiagnosticList& problems, const JsonValue& value, VerifySettings& settings);

}  // namespace bulkhead
