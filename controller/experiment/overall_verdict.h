// SPDX-License-Identifier: Apache-2.0
// Over all candidates, in one sentence: which to adopt, or that the control stays.
#pragma once

#include <string>
#include <vector>

#include "controller/experiment/judge_terms.h"
#include "controller/experiment/result.h"

namespace bulkhead {

// Of several to adopt the one with the largest primary effect.
std::string overall_verdict(const JudgeTerms& terms, const std::vector<ArmResult>& candidates);

}  // namespace bulkhead
