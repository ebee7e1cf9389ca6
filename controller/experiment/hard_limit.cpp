// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/hard_limit.h"

#include "controller/experiment/block_differences.h"
#include "controller/experiment/change_text.h"

namespace bulkhead {

std::optional<std::string> beyond_limit(const HardLimit& limit, double value) {
  const auto said = [&](const char* side, double bound) {
    return limit.metric + " was " + format_number(value) + ", " + side + " its limit of " +
           format_number(bound);
  };
  if (limit.above && value > *limit.above) return said("above", *limit.above);
  if (limit.below && value < *limit.below) return said("below", *limit.below);
  return std::nullopt;
}

std::optional<PassedLimit> passed_limit(const Experiment& experiment,
                                        const std::function<MetricReading(std::size_t metric)>& read) {
  for (const HardLimit& limit : experiment.limits) {
    const MetricReading reading = read(metric_index(experiment, limit.metric));
    if (!reading.value) continue;
    if (auto text = beyond_limit(limit, *reading.value)) {
      return PassedLimit{limit.metric, *reading.value, *std::move(text)};
    }
  }
  return std::nullopt;
}

}  // namespace bulkhead
