// SPDX-License-Identifier: Apache-2.0
// The values beyond which an arm is left at once.
#pragma once

#include <optional>
#include <string>

#include "policies/experiment.h"

namespace bulkhead {

// "p99 was 61.2, above its limit of 50", if the value is beyond the limit. A value that is not a number is
// beyond no limit: it is a bad reading.
std::optional<std::string> beyond_limit(const HardLimit& limit, double value);

}  // namespace bulkhead
