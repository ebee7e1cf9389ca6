// SPDX-License-Identifier: Apache-2.0
// What the verdict rests on, fixed before the first block: whatever is chosen later could be chosen to
// please.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "controller/experiment/sequential_looks.h"
#include "policies/experiment.h"

namespace bulkhead {

// A metric on the scale of benefit: the logarithm of candidate over control, its sign turned where lower is
// better.
struct MetricTerms {
  std::size_t index = 0;  // among the experiment's metrics
  std::string name;
  Better better = Better::higher;
  double alpha = 0;              // of its interval
  std::optional<double> margin;  // of a guard: how much harm is allowed, on this scale
  double margin_share = 0;       // the same as it was written
  double sign() const { return better == Better::higher ? 1 : -1; }
  double change(double benefit) const;  // the relative change of the metric itself
};

struct JudgeTerms {
  std::vector<MetricTerms> metrics;  // the primary, the guards, the others
  std::size_t guards = 0;
  double alpha = 0.05;         // of each candidate: all share the experiment's
  double smallest_effect = 0;  // of the primary, on the scale of benefit
  double smallest_share = 0;   // the same as it was written
  double mixture = 0;
  unsigned least_blocks = 0;
  unsigned most_blocks = 0;
  std::optional<SequentialLooks> looks, guard_looks;  // none: after every block
  std::string control;
};

// `candidates` share the chance of error. The mixture follows from the experiment's own `noise`, else it is
// the default.
JudgeTerms judge_terms(const Experiment& experiment, std::size_t candidates);

// What a change of so much for the worse is on the scale of benefit, unsigned: +5 % of a latency, -5 % of a
// throughput.
double harm_on_scale(Better better, double share);
double benefit_on_scale(Better better, double share);

}  // namespace bulkhead
