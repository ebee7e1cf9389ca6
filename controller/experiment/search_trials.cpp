// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_trials.h"

#include <cmath>
#include <utility>

#include "controller/base/text.h"
#include "controller/experiment/block_differences.h"
#include "controller/experiment/change_text.h"
#include "controller/experiment/search_policy.h"

namespace bulkhead {

// The mean on the log scale, as that of differences.
double latency_of(const Experiment& experiment, const std::string& arm,
                  std::span<const WindowRecord> windows) {
  const std::size_t latency = metric_index(experiment, experiment.search->latency);
  double sum = 0, count = 0;
  for (const WindowRecord& window : windows) {
    if (window.arm != arm || !window.metrics[latency].value) continue;
    sum += std::log(*window.metrics[latency].value);
    ++count;
  }
  return std::exp(sum / count);
}

std::string search_verdict(const ExperimentResult& result) {
  const SearchResult& search = *result.search;
  if (!result.limit_hits.empty()) {
    return "nothing can be compared: the control " + result.control +
           " itself left a limit: " + result.limit_hits.back().text;
  }
  if (result.ended_by != "verdict") return "nothing was found: the search was not finished";
  return "none of the " + counted(search.evaluations.size(), "combination") + " that were measured keeps " +
         search.latency + " within " + format_number(search.latency_limit);
}

std::string trial_name(unsigned number) {
  return "try " + std::to_string(number);
}

SearchTrials::SearchTrials(const Experiment& experiment, std::string template_text)
    : experiment_(experiment),
      template_(std::move(template_text)),
      space_(experiment.search->ranges),
      search_(space_, experiment.search->evaluations) {
  trial(0, false);
}

Trial SearchTrials::trial(std::size_t combination, bool designed) const {
  const SearchWant& want = *experiment_.search;
  const SearchPoint point = space_.point(combination);
  return {.combination = combination,
          .point = describe(point),
          .policy = policy_at(template_, want.policy, want.service, point),
          .designed = designed};
}

std::optional<Trial> SearchTrials::next() const {
  const auto proposal = search_.next();
  if (!proposal) return std::nullopt;
  return trial(proposal->number, proposal->designed);
}

std::optional<Trial> SearchTrials::best() const {
  const auto number = search_.best();
  if (!number) return std::nullopt;
  return trial(*number, false);
}

void SearchTrials::tell(const Evaluation& evaluation) {
  if (evaluation.failed) return search_.tell_failed(evaluation.combination);
  if (!evaluation.change || !evaluation.latency) return search_.tell_nothing(evaluation.combination);
  const MetricWant& primary = experiment_.metrics[metric_index(experiment_, experiment_.primary)];
  const double sign = primary.better == Better::higher ? 1 : -1;
  search_.tell(evaluation.combination, sign * std::log1p(*evaluation.change),
               std::log(*evaluation.latency / experiment_.search->latency_limit));
}

void SearchTrials::evaluate(BlockRecord block, Evaluation& evaluation) const {
  check_block(experiment_, evaluation.windows, block);
  evaluation.why_none = block.dropped;
  if (!block.dropped.empty()) return;
  const BlockDifferences found = block_differences(experiment_, block, evaluation.windows);
  const auto change = found.metrics[metric_index(experiment_, experiment_.primary)];
  evaluation.change = std::expm1(*change);
  evaluation.latency = latency_of(experiment_, block.candidate, evaluation.windows);
}

}  // namespace bulkhead
