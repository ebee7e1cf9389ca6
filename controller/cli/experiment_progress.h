// SPDX-License-Identifier: Apache-2.0
// What is told while an experiment runs. Pure.
#pragma once

#include <string>

#include "controller/experiment/runner.h"

namespace bulkhead {

// "1 h 40 min", "12 s": rounded to two units.
std::string time_text(double seconds);

// "block 7 of at most 80, numa-6-of-12: +14.9 % (+9.1 % to +21.0 %), at most 12 min left"
std::string progress_text(const RunProgress& progress);

}  // namespace bulkhead
