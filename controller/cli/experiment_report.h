// SPDX-License-Identifier: Apache-2.0
// What an experiment has brought, for a terminal. Pure.
#pragma once

#include <string>

#include "controller/cli/style.h"
#include "controller/experiment/result.h"

namespace bulkhead {

std::string report_text(const ExperimentResult& result, const Style& style);

}  // namespace bulkhead
