// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/runner.h"

#include <algorithm>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/base/utc.h"
#include "controller/experiment/experiment_description.h"
#include "controller/experiment/fingerprint.h"
#include "policies/duration.h"
#include "policies/experiment_reader.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;
using At = RunProgress::Step;

std::string utc_now() {
  return utc_text(std::chrono::system_clock::now());
}

std::vector<std::string> candidates_of(const Experiment& experiment) {
  return experiment.search ? std::vector<std::string>{kFoundArm} : experiment.candidates();
}

}  // namespace

Runner::Runner(ExperimentInput input, ExperimentHost& host, Store& store, RunnerSeams seams)
    : input_(std::move(input)),
      experiment_(require_experiment(input_.source.text, input_.source.file)),
      host_(host),
      record_(store),
      seams_(std::move(seams)),
      arms_(host_, record_),
      windows_(experiment_, input_.folder, host_, arms_, seams_),
      candidates_(candidates_of(experiment_)),
      judge_(experiment_, candidates_),
      result_(describe(experiment_, input_, host_)) {
  if (!experiment_.search) return;
  trials_.emplace(experiment_, input_.policies.at(experiment_.search->policy).text);
  result_.search->combinations = trials_->combinations();
}

ExperimentResult Runner::run() {
  record_.lock();
  if (const auto interrupted = record_.read()) end_experiment(record_, *interrupted, host_);
  result_.started = utc_now();
  windows_.start_clock(0);
  facts_ = host_.facts();
  result_.host = facts_text(facts_);
  record_.write_progress(result_);
  arms_.begin(input_, experiment_.on_restart);
  tell({.step = At::begun}, {});
  return run_to_the_end();
}

ExperimentResult Runner::resume(const RunningExperiment& running, ExperimentResult progress) {
  record_.lock();
  arms_.take_over(running, experiment_.find_arm(running.arm));
  result_ = std::move(progress);
  double done = result_.windows.empty() ? 0 : result_.windows.back().ends;
  if (result_.search && result_.windows.empty() && !result_.search->evaluations.empty()) {
    const std::vector<WindowRecord>& last = result_.search->evaluations.back().windows;
    if (!last.empty()) done = last.back().ends;
  }
  windows_.start_clock(done);
  windows_.set_washout(milliseconds(static_cast<long long>(result_.washout.seconds * 1000)));
  for (const WindowRecord& window : result_.windows)
    slowest_window_ = std::max(slowest_window_, window.ends - window.enters);
  result_.ended.clear();
  result_.ended_by.clear();
  result_.failure.clear();
  facts_ = host_.facts();
  remark("the experiment was interrupted here, and goes on");
  tell({.step = At::begun}, {});
  return run_to_the_end();
}

ExperimentResult Runner::run_to_the_end() {
  try {
    // Of an arm that was being entered when a runner was killed nobody knows what is in force.
    arms_.leave();
    if (trials_) search();
    compare();
    result_.ended_by = "verdict";
    const bool inconclusive =
        std::any_of(result_.candidates.begin(), result_.candidates.end(),
                    [](const auto& one) { return one.verdict == ArmVerdict::inconclusive; });
    if (inconclusive) result_.ended_by = "blocks";
  } catch (const WindowRunner::Stopped&) {
    result_.ended_by = "stopped";
  } catch (const Error& error) {
    result_.ended_by = "failed";
    result_.failure = error.what();
    remark(result_.failure);
  }
  windows_.give_up();
  restore();
  note_facts();
  note_what_was_never_read();
  report();
  if (trials_) note_latency();
  result_.ended = utc_now();
  tell({.step = At::ended}, {});
  return std::move(result_);
}

void Runner::restore() {
  const bool pauses = result_.ended_by == "stopped" && arms_.on_restart() == OnRestart::resume;
  try {
    arms_.end(pauses && seams_.will_be_resumed());
  } catch (const Error& error) {
    if (record_.read()) throw;  // what was in force has not returned
    remark(error.what());
  }
}

// With the blocks that are done already the schedule and the verdicts are as they were when these had ended.
void Runner::compare() {
  schedule_.emplace(result_.seed, candidates_);
  if (trials_ && result_.search->found.empty()) return;
  judge_again(static_cast<unsigned>(result_.blocks.size()));
  while (const auto planned = schedule_->next()) {
    const StagedArm candidate = staged(planned->candidate);
    BlockRun run = run_block(*planned, candidate);
    result_.windows.insert(result_.windows.end(), run.windows.begin(), run.windows.end());
    if (run.hit) {
      judge_.add(*run.hit);
      run.block.dropped = run.hit->text;
      run.block.dropped_arm = run.hit->arm;
      result_.limit_hits.push_back(*run.hit);
    } else {
      judge_.add(run.block, run.windows);
    }
    result_.blocks.push_back(run.block);
    report();
    drop_decided();
    record_.write_progress(result_);
    tell({.step = At::block, .ended = &run.block}, *planned, kWindowsOfBlock);
    lengthen_washout();
  }
}

void Runner::judge_again(unsigned blocks_done) {
  for (unsigned done = 0; done < blocks_done; ++done) {
    const PlannedBlock planned = *schedule_->next();
    std::vector<WindowRecord> windows;
    std::copy_if(result_.windows.begin(), result_.windows.end(), std::back_inserter(windows),
                 [&](const WindowRecord& window) { return window.block == planned.number; });
    judge_.add(result_.blocks[done], windows);
    for (const LimitHit& hit : result_.limit_hits) {
      if (hit.block == planned.number) judge_.add(hit);
    }
    drop_decided();
  }
}

void Runner::drop_decided() {
  for (const std::string& candidate : candidates_) {
    if (judge_.verdict(candidate) != ArmVerdict::open) schedule_->drop(candidate);
  }
}

// Until a search has found something nobody is judged.
void Runner::report() {
  const double washout = in_seconds(windows_.washout());
  if (!trials_ || !result_.search->found.empty()) return judge_.report(washout, result_);
  result_.washout.seconds = washout;
  result_.verdict = search_verdict(result_);
}

Runner::BlockRun Runner::run_block(const PlannedBlock& planned, const StagedArm& candidate) {
  BlockRun run{.block = {.number = planned.number, .candidate = planned.candidate, .order = planned.order}};
  const StagedArm control = staged(experiment_.control);
  if (windows_.washout().count() == 0) run.hit = find_washout(planned, candidate);
  if (run.hit) return run;
  for (unsigned place = 0; place < kWindowsOfBlock; ++place) {
    const StagedArm& arm = planned.order[place] == 'A' ? control : candidate;
    tell({.step = At::washout, .arm = arm.want.name}, planned, place);
    auto window = windows_.run({.block = planned.number, .place = place, .arm = arm.want.name}, arm, control,
                               [&] { tell({.step = At::window, .arm = arm.want.name}, planned, place); });
    if (auto* hit = std::get_if<LimitHit>(&window)) {
      run.hit = std::move(*hit);
      return run;
    }
    run.windows.push_back(std::get<WindowRecord>(std::move(window)));
    slowest_window_ = std::max(slowest_window_, run.windows.back().ends - run.windows.back().enters);
    tell({.step = At::measured, .window = &run.windows.back(), .arm = arm.want.name}, planned, place + 1);
  }
  return run;
}

// From the response of the primary metric to the first switch; where that does not tell, the shortest.
std::optional<LimitHit> Runner::find_washout(const PlannedBlock& planned, const StagedArm& candidate) {
  if (experiment_.washout) {
    windows_.set_washout(std::max(*experiment_.washout, milliseconds(1)));
    return std::nullopt;
  }
  auto response = windows_.step_response({.block = planned.number}, staged(experiment_.control), candidate);
  if (auto* hit = std::get_if<LimitHit>(&response)) return std::move(*hit);
  const auto constant = time_constant(std::get<std::vector<StepSample>>(response));
  const milliseconds washout(static_cast<long long>(washout_for(constant.value_or(0)) * 1000));
  windows_.set_washout(washout);
  const std::string text = "washout of " + std::to_string(washout.count()) + " ms";
  remark(constant ? text + ", from a time constant of " +
                        std::to_string(static_cast<long long>(*constant * 1000)) + " ms"
                  : text + ": the first switch showed no step from which another would follow");
  return std::nullopt;
}

void Runner::lengthen_washout() {
  if (experiment_.washout || !judge_.washout_is_too_short()) return;
  windows_.set_washout(windows_.washout() * 2);
  remark("the washout was too short: it is " + std::to_string(windows_.washout().count()) +
         " ms from here on");
}

// A host that has changed meanwhile is not comparable with itself.
void Runner::note_facts() {
  const std::map<std::string, std::string> now = host_.facts();
  for (const auto& [name, before] : facts_) {
    const auto found = now.find(name);
    const std::string after = found == now.end() ? "nothing" : found->second;
    if (after != before)
      remark("the host has changed meanwhile: " + name + " was " + before + ", and is " + after);
  }
}

// What blocks depend on is named where it costs them; of all else nobody would notice.
void Runner::note_what_was_never_read() {
  for (std::size_t metric = 0; metric < experiment_.metrics.size() && !result_.windows.empty(); ++metric) {
    const auto read = [&](const WindowRecord& window) { return window.metrics[metric].value.has_value(); };
    if (std::any_of(result_.windows.begin(), result_.windows.end(), read)) continue;
    remark("metric " + experiment_.metrics[metric].name + " was read in none of " +
           counted(result_.windows.size(), "window") + ": " +
           result_.windows.back().metrics[metric].why_none);
  }
}

StagedArm Runner::staged(const std::string& name) const {
  static const PolicySource kNone;
  const ArmWant& want = *experiment_.find_arm(name);
  return {want, want.policy ? input_.policies.at(*want.policy) : kNone};
}

// Of all candidates that are still in, at most.
unsigned Runner::blocks_left() const {
  unsigned left = 0;
  for (const std::string& candidate : candidates_) {
    if (judge_.verdict(candidate) != ArmVerdict::open) continue;
    const auto done =
        static_cast<unsigned>(std::ranges::count(result_.blocks, candidate, &BlockRecord::candidate));
    left += experiment_.most_blocks - std::min(experiment_.most_blocks, done);
  }
  return left;
}

void Runner::tell(RunProgress progress, const PlannedBlock& planned, unsigned windows_done) {
  progress.result = &result_;
  progress.searches = searches_;
  progress.block = planned.number;
  progress.candidate = planned.candidate;
  unsigned left = blocks_left();
  progress.most_blocks = static_cast<unsigned>(result_.blocks.size()) + left;
  if (searches_) {
    const auto done = static_cast<unsigned>(result_.search->evaluations.size());
    progress.most_blocks = experiment_.search->evaluations;
    left += progress.most_blocks - std::min(progress.most_blocks, done);
  }
  const unsigned windows =
      left * kWindowsOfBlock - std::min(left * kWindowsOfBlock, windows_done % kWindowsOfBlock);
  progress.seconds_left =
      windows * std::max(in_seconds(experiment_.window + windows_.washout()), slowest_window_);
  seams_.tell(progress);
}

void Runner::remark(const std::string& text) {
  result_.remarks.push_back({.at = windows_.seconds(), .text = text});
}

}  // namespace bulkhead
