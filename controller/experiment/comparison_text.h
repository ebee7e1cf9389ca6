// SPDX-License-Identifier: Apache-2.0
// A comparison in numbers and in one sentence, for whoever has to decide.
#pragma once

#include <string>

#include "controller/experiment/comparison.h"

namespace bulkhead {

// `edges` are those of the load bands, if there are any.
ArmResult arm_result(const JudgeTerms& terms, const Comparison& comparison,
                     const std::vector<double>& edges = {});

}  // namespace bulkhead
