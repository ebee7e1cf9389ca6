// SPDX-License-Identifier: Apache-2.0
// A quantile of what a Prometheus histogram counted between two looks at it.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/experiment/result.h"

namespace bulkhead {

// Samples up to a bound, as the page's `le` has it; the last bound is infinite.
struct CumulativeBucket {
  double bound = 0;
  double count = 0;
};

// Linear within a bucket, as PromQL's histogram_quantile() is; a first bucket starts at 0. No value where
// that would invent one: PromQL answers the last finite bound where the quantile lies beyond it.
MetricReading bucket_quantile(const std::vector<CumulativeBucket>& before,
                              const std::vector<CumulativeBucket>& after, double share,
                              std::uint64_t least_requests);

}  // namespace bulkhead
