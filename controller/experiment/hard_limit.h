// SPDX-License-Identifier: Apache-2.0
// The values beyond which an arm is left at once.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/experiment/result.h"
#include "policies/experiment.h"

namespace bulkhead {

// "p99 was 61.2, above its limit of 50", if the value is beyond the limit. A value that is not a number is
// beyond no limit: it is a bad reading.
std::optional<std::string> beyond_limit(const HardLimit& limit, double value);

struct PassedLimit {
  std::string metric;
  double value = 0;
  std::string text;  // as above
};

// The first of the experiment's limits that is passed; `read` gives a metric's value, by its place.
std::optional<PassedLimit> passed_limit(const Experiment& experiment,
                                        const std::function<MetricReading(std::size_t metric)>& read);

}  // namespace bulkhead
