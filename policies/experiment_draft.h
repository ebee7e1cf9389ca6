// SPDX-License-Identifier: Apache-2.0
// An experiment while it is read: with what its checks have to know and nobody later.
#pragma once

#include <optional>
#include <vector>

#include "policies/experiment.h"

namespace bulkhead {

struct MetricDraft {
  MetricWant want;
  bool has_source = false;     // what was read makes a source
  bool has_direction = false;  // "better" is given
};

struct ExperimentDraft {
  Experiment experiment;  // its metrics are still in the drafts
  std::vector<MetricDraft> metrics;
  std::optional<Place> arms, control, primary;  // where they are named
};

}  // namespace bulkhead
