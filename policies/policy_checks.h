// SPDX-License-Identifier: Apache-2.0
// What only shows when all services and classes of a policy are seen together.
#pragma once

#include <span>

#include "policies/diagnostic_list.h"
#include "policies/policy.h"
#include "policies/service_reader.h"

namespace bulkhead {

void check_together(DiagnosticList& problems, std::span<const ServiceDraft> services,
                    std::span<const ServiceClass> classes);

}  // namespace bulkhead
