// SPDX-License-Identifier: Apache-2.0
// The report for people: one page that carries the result, draws itself from it, and loads nothing.
#pragma once

#include <string>

#include "controller/experiment/result.h"

namespace bulkhead {

std::string report_html(const ExperimentResult& result);

}  // namespace bulkhead
