// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/judge.h"

#include <algorithm>
#include <utility>

#include "controller/experiment/comparison_text.h"
#include "controller/experiment/overall_verdict.h"

namespace bulkhead {
namespace {

std::string place_of(const LimitHit& hit) {
  return "block " + std::to_string(hit.block) + ", window " + std::to_string(hit.place + 1);
}

}  // namespace

Judge::Judge(const Experiment& experiment) : Judge(experiment, experiment.candidates()) {}

Judge::Judge(const Experiment& experiment, const std::vector<std::string>& candidates)
    : experiment_(experiment),
      terms_(judge_terms(experiment, candidates.size())),
      washout_(terms_.smallest_effect) {
  const std::size_t bands = experiment.bands ? experiment.bands->edges.size() + 1 : 0;
  for (const std::string& candidate : candidates) comparisons_.emplace_back(terms_, candidate, bands);
}

const Comparison& Judge::comparison(const std::string& candidate) const {
  const auto found = std::find_if(comparisons_.begin(), comparisons_.end(),
                                  [&](const Comparison& one) { return one.candidate() == candidate; });
  if (found == comparisons_.end()) {
    throw Error(ErrorCode::internal,
                "experiment '" + experiment_.name + "' compares no arm '" + candidate + "'");
  }
  return *found;
}

Comparison& Judge::comparison(const std::string& candidate) {
  return const_cast<Comparison&>(std::as_const(*this).comparison(candidate));
}

void Judge::add(BlockRecord& block, std::span<const WindowRecord> windows) {
  check_block(experiment_, windows, block);
  Comparison& compared = comparison(block.candidate);
  if (compared.verdict() != ArmVerdict::open) return;
  if (!block.dropped.empty()) {
    compared.add_dropped(block.dropped_arm);
    return;
  }
  const BlockDifferences found = block_differences(experiment_, block, windows);
  compared.add(found.metrics, found.band);
  washout_.add(block, windows);
}

void Judge::add(const LimitHit& hit) {
  if (hit.arm != terms_.control) {
    comparison(hit.arm).end_with(ArmVerdict::failed_safe,
                                 hit.text + ", in " + place_of(hit) + "; it was left at once");
    return;
  }
  for (Comparison& compared : comparisons_) {
    if (compared.verdict() != ArmVerdict::open) continue;
    compared.end_with(ArmVerdict::invalid, "the control " + hit.arm + " itself left a limit in " +
                                               place_of(hit) + ": " + hit.text);
  }
}

ArmVerdict Judge::verdict(const std::string& candidate) const {
  return comparison(candidate).verdict();
}

bool Judge::is_decided() const {
  return std::none_of(comparisons_.begin(), comparisons_.end(),
                      [](const Comparison& one) { return one.verdict() == ArmVerdict::open; });
}

ArmResult Judge::result(const std::string& candidate) const {
  return arm_result(terms_, comparison(candidate),
                    experiment_.bands ? experiment_.bands->edges : std::vector<double>{});
}

void Judge::report(double washout_seconds, ExperimentResult& result) const {
  result.candidates.clear();
  for (const Comparison& compared : comparisons_) {
    result.candidates.push_back(this->result(compared.candidate()));
  }
  result.washout = washout_.report(washout_seconds);
  result.verdict = overall_verdict(terms_, result.candidates);
}

void judge_again(const Experiment& experiment, ExperimentResult& result) {
  std::vector<std::string> candidates;
  for (const ArmResult& candidate : result.candidates) candidates.push_back(candidate.arm);
  Judge judge(experiment, candidates.empty() ? experiment.candidates() : candidates);
  auto hit = result.limit_hits.begin();
  for (BlockRecord& block : result.blocks) {
    std::vector<WindowRecord> windows;
    for (const WindowRecord& window : result.windows) {
      if (window.block == block.number) windows.push_back(window);
    }
    judge.add(block, windows);
    for (; hit != result.limit_hits.end() && hit->block <= block.number; ++hit) judge.add(*hit);
  }
  for (; hit != result.limit_hits.end(); ++hit) judge.add(*hit);
  judge.report(result.washout.seconds, result);
}

}  // namespace bulkhead
