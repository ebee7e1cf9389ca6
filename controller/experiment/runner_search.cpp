// SPDX-License-Identifier: Apache-2.0
// How the runner searches for its candidate before it compares it.
#include <utility>

#include "controller/base/error.h"
#include "controller/experiment/change_text.h"
#include "controller/experiment/experiment_description.h"
#include "controller/experiment/runner.h"

namespace bulkhead {

// One combination after another, each in a block against the control; then the best one is the candidate.
// Where the control itself leaves a limit there is nothing to compare with, and that is the end.
void Runner::search() {
  searches_ = true;
  SearchResult& search = *result_.search;
  // Its blocks have an order of their own, so that those of the comparison are drawn as for any experiment.
  Schedule schedule(~result_.seed, {kFoundArm});
  for (const Evaluation& evaluation : search.evaluations) {
    trials_->tell(evaluation);
    schedule.next();
  }
  while (search.found.empty() && result_.limit_hits.empty()) {
    const auto trial = next_that_this_host_can_have();
    if (!trial) break;
    PlannedBlock planned = *schedule.next();
    planned.candidate = trial_name(planned.number);
    evaluate(*trial, planned);
    record_.write_progress(result_);
  }
  searches_ = false;
  if (result_.limit_hits.empty()) choose();
}

std::optional<Trial> Runner::next_that_this_host_can_have() {
  while (auto trial = trials_->next()) {
    try {
      host_.plan({trial->policy, experiment_.search->policy});
      return trial;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::infeasible) throw;
      if (result_.search->left_out++ == 0) remark(trial->point + " is left out: " + error.what());
      trials_->leave_out(*trial);
    }
  }
  return std::nullopt;
}

void Runner::evaluate(const Trial& trial, const PlannedBlock& planned) {
  const ArmWant want{.name = planned.candidate, .policy = experiment_.search->policy};
  const PolicySource policy{trial.policy, experiment_.search->policy};
  BlockRun run = run_block(planned, {want, policy});
  Evaluation evaluation{.number = planned.number,
                        .combination = trial.combination,
                        .point = trial.point,
                        .designed = trial.designed,
                        .order = planned.order,
                        .windows = std::move(run.windows)};
  if (run.hit) {
    evaluation.why_none = run.hit->text;
    evaluation.failed = run.hit->arm != experiment_.control;
    if (!evaluation.failed) result_.limit_hits.push_back(*run.hit);
  } else {
    trials_->evaluate(run.block, evaluation);
  }
  trials_->tell(evaluation);
  run.block.dropped = evaluation.why_none;
  result_.search->evaluations.push_back(std::move(evaluation));
  tell({.step = RunProgress::Step::block, .ended = &run.block}, planned, kWindowsOfBlock);
}

// The best one is an arm from here on, and is compared as any other.
void Runner::choose() {
  const auto best = trials_->best();
  if (!best) return;
  SearchResult& search = *result_.search;
  search.found = best->point;
  search.found_policy = best->policy;
  const ArmWant arm{.name = kFoundArm, .policy = kFoundArm};
  input_.policies[kFoundArm] = {best->policy, search.policy};
  experiment_.arms.push_back(arm);
  if (result_.arms.size() < experiment_.arms.size())
    result_.arms.push_back(describe(arm, input_.policies.at(kFoundArm), host_));
  record_.write_progress(result_);
}

// What was found kept the limit where it was measured once; in the comparison it was measured more often.
void Runner::note_latency() {
  const SearchResult& search = *result_.search;
  if (result_.blocks.empty()) return;
  const double latency = latency_of(experiment_, kFoundArm, result_.windows);
  if (latency > search.latency_limit)
    remark("in the comparison the " + search.latency + " of " + search.found + " was " +
           format_number(latency) + ", above the search's limit of " + format_number(search.latency_limit));
}

}  // namespace bulkhead
