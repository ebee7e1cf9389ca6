// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/judge_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "controller/experiment/block_differences.h"
#include "controller/experiment/confidence_sequence.h"

namespace bulkhead {
namespace {

double as_share(Percent percent) {
  return percent.hundredths / 10'000.0;
}

// ln(1 + share) upwards, -ln(1 - share) downwards: nothing falls by more than 100 %.
double on_scale(bool upwards, double share) {
  if (upwards) return std::log1p(share);
  return share < 1 ? -std::log1p(-share) : std::numeric_limits<double>::infinity();
}

MetricTerms terms_of(const Experiment& experiment, std::size_t index, double alpha) {
  const MetricWant& metric = experiment.metrics[index];
  return {.index = index, .name = metric.name, .better = metric.better, .alpha = alpha};
}

}  // namespace

double MetricTerms::change(double benefit) const {
  return std::expm1(sign() * benefit);
}

double harm_on_scale(Better better, double share) {
  return on_scale(better == Better::lower, share);
}

double benefit_on_scale(Better better, double share) {
  return on_scale(better == Better::higher, share);
}

JudgeTerms judge_terms(const Experiment& experiment, std::size_t candidates) {
  JudgeTerms terms;
  terms.alpha =
      (1 - as_share(experiment.confidence)) / static_cast<double>(std::max<std::size_t>(candidates, 1));
  terms.metrics.push_back(terms_of(experiment, metric_index(experiment, experiment.primary), terms.alpha));
  for (const Guard& guard : experiment.guards) {
    MetricTerms metric = terms_of(experiment, metric_index(experiment, guard.metric), 2 * terms.alpha);
    metric.margin_share = as_share(guard.margin);
    metric.margin = harm_on_scale(metric.better, metric.margin_share);
    terms.metrics.push_back(std::move(metric));
  }
  terms.guards = experiment.guards.size();
  for (std::size_t index = 0; index < experiment.metrics.size(); ++index) {
    const bool known = std::any_of(terms.metrics.begin(), terms.metrics.end(),
                                   [&](const MetricTerms& metric) { return metric.index == index; });
    if (!known) terms.metrics.push_back(terms_of(experiment, index, terms.alpha));
  }
  terms.smallest_share = as_share(experiment.smallest_effect);
  terms.smallest_effect = benefit_on_scale(terms.metrics.front().better, terms.smallest_share);
  terms.mixture =
      experiment.noise ? mixture_for(as_share(*experiment.noise), terms.smallest_effect) : kDefaultMixture;
  terms.least_blocks = experiment.least_blocks;
  terms.most_blocks = experiment.most_blocks;
  if (experiment.looks == Looks::five) {
    terms.looks.emplace(terms.alpha, terms.most_blocks);
    terms.guard_looks.emplace(2 * terms.alpha, terms.most_blocks);
  }
  terms.control = experiment.control;
  return terms;
}

}  // namespace bulkhead
