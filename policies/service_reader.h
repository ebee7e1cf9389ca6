// SPDX-License-Identifier: Apache-2.0
// One service and one class of a policy, without a look at the others.
#pragma once

#include <optional>

#include "policies/keywords.h"
#include "policies/policy.h"

namespace bulkhead {

// A service while it is read: a selector that is wrong is none.
struct ServiceDraft {
  Service service;
  std::optional<Select> select;
};

// `value` is a member of "services", whose key is the name.
ServiceDraft read_service(DiagnosticList& problems, const JsonValue& value);

ServiceClass read_class(DiagnosticList& problems, const JsonValue& value);

}  // namespace bulkhead
