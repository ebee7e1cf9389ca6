// SPDX-License-Identifier: Apache-2.0
// "select": which tasks a service is.
#pragma once

#include <optional>

#include "policies/keywords.h"
#include "policies/policy.h"

namespace bulkhead {

// Nothing where it is wrong.
void read_select(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                 std::optional<Select>& select);

}  // namespace bulkhead
