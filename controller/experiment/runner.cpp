// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/runner.h"

#include <algorithm>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/base/utc.h"
#include "controller/experiment/fingerprint.h"
#include "controller/experiment/hard_limit.h"
#include "policies/duration.h"
#include "policies/experiment_reader.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenSignals{50};  // at signals, and at what commands write
constexpr unsigned kWindows = 4;
constexpr unsigned kStepSamples = 24;  // of the step response that a washout comes from
constexpr milliseconds kShortestWashout{2000};

std::string words_of(const std::optional<Command>& command) {
  return command ? join(command->words, " ") : "";
}

std::uint64_t drawn_seed() {
  std::random_device device;
  return device();
}

std::string utc_now() {
  return utc_text(std::chrono::system_clock::now());
}

}  // namespace

RunnerSeams::RunnerSeams()
    : sleep_until([](std::chrono::steady_clock::time_point time) { std::this_thread::sleep_until(time); }) {}

Runner::Runner(ExperimentInput input, ExperimentHost& host, Store& store, RunnerSeams seams)
    : input_(std::move(input)),
      experiment_(require_experiment(input_.source.text, input_.source.file)),
      host_(host),
      record_(store),
      seams_(std::move(seams)),
      judge_(experiment_),
      meters_(experiment_, input_.folder, host_) {
  describe_arms();
  describe();
}

// All policies are planned before anything is changed.
void Runner::describe_arms() {
  for (const ArmWant& arm : experiment_.arms) {
    const PolicySource policy = policy_of(input_, arm);
    ArmDescription description{.name = arm.name,
                               .policy = arm.policy.value_or(""),
                               .on_enter = words_of(arm.on_enter),
                               .on_leave = words_of(arm.on_leave)};
    if (arm.policy) {
      description.fingerprint = fingerprint_of(policy.text);
      description.summary = require_policy(policy.text, policy.file).summary;
      try {
        description.plan = host_.plan(policy);
      } catch (Error& error) {
        error.add_context("planning arm " + arm.name);
        throw;
      }
    }
    result_.arms.push_back(std::move(description));
  }
}

void Runner::describe() {
  result_.name = experiment_.name;
  result_.summary = experiment_.summary;
  result_.file = input_.source.file;
  result_.fingerprint = fingerprint_of(input_.source.text);
  result_.version = BULKHEAD_VERSION;
  result_.seed = experiment_.seed_given ? experiment_.seed : drawn_seed();
  result_.confidence = experiment_.confidence.hundredths / 10'000.0;
  result_.smallest_effect = experiment_.smallest_effect.hundredths / 10'000.0;
  result_.control = experiment_.control;
  result_.primary = experiment_.primary;
  for (const MetricWant& metric : experiment_.metrics) {
    result_.metrics.push_back(metric.name);
    result_.higher_is_better.push_back(metric.better == Better::higher);
  }
  for (const Guard& guard : experiment_.guards) {
    result_.guards.emplace_back(guard.metric, guard.margin.hundredths / 10'000.0);
  }
}

ExperimentResult Runner::run() {
  record_.lock();
  if (const auto interrupted = record_.read()) end_experiment(record_, *interrupted, host_);
  result_.started = utc_now();
  start_ = seams_.now();
  facts_ = host_.facts();
  result_.host = facts_text(facts_);
  begin();
  return run_to_the_end(0);
}

// Once the record is there nobody else changes what is in force; until then somebody may have.
void Runner::begin() {
  running_ = {.input = input_, .before = host_.in_force(), .arm = {}, .on_restart = experiment_.on_restart};
  record_.write_progress(result_);
  record_.write(running_);
  StateBefore now = host_.in_force();
  if (now != running_.before) {
    running_.before = std::move(now);
    record_.write(running_);
  }
  tell(RunProgress::Step::begun, {}, {});
}

ExperimentResult Runner::resume(const RunningExperiment& running, ExperimentResult progress) {
  record_.lock();
  running_ = running;
  const double done = progress.windows.empty() ? 0 : progress.windows.back().ends;
  start_ = seams_.now() - std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(done));
  result_ = std::move(progress);
  result_.ended.clear();
  result_.ended_by.clear();
  facts_ = host_.facts();
  washout_ = milliseconds(static_cast<long long>(result_.washout.seconds * 1000));
  remark("the experiment was interrupted here, and goes on");
  tell(RunProgress::Step::begun, {}, {});
  return run_to_the_end(static_cast<unsigned>(result_.blocks.size()));
}

ExperimentResult Runner::run_to_the_end(unsigned blocks_done) {
  try {
    run_blocks(blocks_done);
    result_.ended_by = "verdict";
    const bool inconclusive =
        std::any_of(result_.candidates.begin(), result_.candidates.end(),
                    [](const auto& one) { return one.verdict == ArmVerdict::inconclusive; });
    if (inconclusive) result_.ended_by = "blocks";
  } catch (const Stopped&) {
    result_.ended_by = "stopped";
  } catch (const Error& error) {
    result_.ended_by = "failed";
    remark(error.what());
  }
  meters_.abandon();
  restore();
  note_facts();
  judge_.report(in_seconds(washout_), result_);
  result_.ended = utc_now();
  tell(RunProgress::Step::ended, {}, {});
  return std::move(result_);
}

// A block that was not finished is not in the result.
void Runner::restore() {
  const auto unfinished = [&](const WindowRecord& window) { return window.block > result_.blocks.size(); };
  std::erase_if(result_.windows, unfinished);
  const bool pauses = result_.ended_by == "stopped" && running_.on_restart == OnRestart::resume;
  try {
    if (pauses && seams_.will_be_resumed()) {
      suspend_experiment(record_, running_, host_);
    } else {
      end_experiment(record_, running_, host_);
    }
  } catch (const Error& error) {
    if (record_.read()) throw;  // what was in force has not returned
    remark(error.what());
  }
}

// The schedule and the verdicts are then as they were when the last of these blocks had ended.
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
  for (const std::string& candidate : experiment_.candidates()) {
    if (judge_.verdict(candidate) != ArmVerdict::open) schedule_->drop(candidate);
  }
}

// Of an arm that was being entered when the runner was killed nobody knows what is in force: it is left.
void Runner::run_blocks(unsigned blocks_done) {
  schedule_.emplace(result_.seed, experiment_.candidates());
  judge_again(blocks_done);
  leave();
  while (const auto planned = schedule_->next()) {
    if (washout_.count() == 0) find_washout(planned->candidate);
    run_block(*planned);
    judge_.report(in_seconds(washout_), result_);
    drop_decided();
    record_.write_progress(result_);
    tell(RunProgress::Step::block, *planned, {});
    if (!experiment_.washout && judge_.washout_is_too_short()) {
      washout_ *= 2;
      remark("the washout was too short: it is " + std::to_string(washout_.count()) + " ms from here on");
    }
  }
}

void Runner::run_block(const PlannedBlock& planned) {
  BlockRecord block{.number = planned.number, .candidate = planned.candidate, .order = planned.order};
  bool whole = true;
  for (unsigned place = 0; place < kWindows && whole; ++place) whole = run_window(planned, place);
  const std::span<const WindowRecord> all(result_.windows);
  if (whole) {
    judge_.add(block, all.last(kWindows));
  } else {
    const LimitHit& hit = result_.limit_hits.back();
    block.dropped = hit.text;
    block.dropped_arm = hit.arm;
  }
  result_.blocks.push_back(std::move(block));
}

// False where a limit was left: then the control is in force again.
bool Runner::run_window(const PlannedBlock& planned, unsigned place) {
  const std::string& name = planned.order[place] == 'A' ? experiment_.control : planned.candidate;
  WindowRecord window{.block = planned.number, .place = place, .arm = name, .switched = running_.arm != name};
  tell(RunProgress::Step::washout, planned, name);
  window.enters = seconds();
  if (window.switched) enter(name);
  wait_until(seams_.now() + washout_);
  tell(RunProgress::Step::window, planned, name);
  window.measures = seconds();
  const Time begun = seams_.now();
  meters_.begin();
  wait_until(begun + experiment_.window / 2);
  meters_.halfway();
  std::optional<LimitHit> hit = limit_left(window, &Meters::first_half);
  if (!hit) {
    wait_until(begun + experiment_.window);
    meters_.end();
    hit = limit_left(window, &Meters::whole);
  }
  if (hit) {
    leave_limit(*hit);
    meters_.abandon();
    return false;
  }
  window.ends = seconds();
  for (std::size_t metric = 0; metric < experiment_.metrics.size(); ++metric) {
    window.metrics.push_back(meters_.whole(metric));
    if (experiment_.metrics[metric].name != experiment_.primary) continue;
    window.first_half = meters_.first_half(metric).value;
    window.second_half = meters_.second_half(metric).value;
  }
  result_.windows.push_back(std::move(window));
  tell(RunProgress::Step::measured, planned, name);
  return true;
}

std::optional<LimitHit> Runner::limit_left(const WindowRecord& window,
                                           MetricReading (Meters::*part)(std::size_t) const) const {
  for (const HardLimit& limit : experiment_.limits) {
    for (std::size_t metric = 0; metric < experiment_.metrics.size(); ++metric) {
      if (experiment_.metrics[metric].name != limit.metric) continue;
      const MetricReading reading = (meters_.*part)(metric);
      if (!reading.value) continue;
      if (auto text = beyond_limit(limit, *reading.value)) {
        return LimitHit{.at = seconds(),
                        .block = window.block,
                        .place = window.place,
                        .arm = window.arm,
                        .metric = limit.metric,
                        .value = *reading.value,
                        .text = std::move(*text)};
      }
    }
  }
  return std::nullopt;
}

// The control at once: before anything is computed or written down.
void Runner::leave_limit(const LimitHit& hit) {
  if (hit.arm != experiment_.control) enter(experiment_.control);
  judge_.add(hit);
  result_.limit_hits.push_back(hit);
}

// Recorded before: whoever ends it knows what is to be left.
void Runner::enter(const std::string& name) {
  leave();
  running_.arm = name;
  record_.write(running_);
  const ArmWant& entered = arm(name);
  try {
    host_.put_in_force(policy_of(input_, entered));
    if (entered.on_enter) run_command(entered.on_enter->words, input_.folder, entered.on_enter->time_limit);
  } catch (Error& error) {
    error.add_context("entering arm " + name);
    throw;
  }
}

void Runner::leave() {
  if (running_.arm.empty()) return;
  const ArmWant& left = arm(running_.arm);
  if (left.on_leave) run_command(left.on_leave->words, input_.folder, left.on_leave->time_limit);
  running_.arm.clear();
}

void Runner::wait_until(Time time) {
  do {
    if (seams_.is_asked_to_end()) throw Stopped{};
    meters_.drain();
    seams_.sleep_until(std::min(time, seams_.now() + kBetweenSignals));
  } while (seams_.now() < time);
  if (seams_.is_asked_to_end()) throw Stopped{};
}

// From the response of the primary metric to the first switch; where that does not tell, the shortest.
void Runner::find_washout(const std::string& candidate) {
  if (experiment_.washout) {
    washout_ = std::max(*experiment_.washout, milliseconds(1));
    return;
  }
  enter(experiment_.control);
  wait_until(seams_.now() + experiment_.window);
  enter(candidate);
  const auto primary = std::find_if(experiment_.metrics.begin(), experiment_.metrics.end(),
                                    [&](const auto& metric) { return metric.name == experiment_.primary; });
  const auto index = static_cast<std::size_t>(primary - experiment_.metrics.begin());
  std::vector<StepSample> response;
  const Time begun = seams_.now();
  if (!std::holds_alternative<CommandSource>(primary->source)) {
    for (unsigned sample = 0; sample < kStepSamples; ++sample) {
      meters_.begin();
      wait_until(begun + (sample + 1) * 2 * experiment_.window / kStepSamples);
      meters_.halfway();
      const MetricReading reading = meters_.first_half(index);
      const std::chrono::duration<double> since = seams_.now() - begun;
      if (reading.value) response.push_back({since.count(), *reading.value});
    }
  }
  meters_.abandon();
  const auto constant = time_constant(response);
  washout_ = kShortestWashout;
  if (constant) washout_ = milliseconds(static_cast<long long>(washout_for(*constant) * 1000));
  remark(constant ? "washout of " + std::to_string(washout_.count()) + " ms, from a time constant of " +
                        std::to_string(static_cast<long long>(*constant * 1000)) + " ms"
                  : "washout of " + std::to_string(washout_.count()) +
                        " ms: the first switch showed no step from which another would follow");
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

const ArmWant& Runner::arm(const std::string& name) const {
  return *experiment_.find_arm(name);
}

double Runner::seconds() const {
  return std::chrono::duration<double>(seams_.now() - start_).count();
}

// Of all candidates that are still in, at most.
unsigned Runner::blocks_left() const {
  unsigned left = 0;
  for (const std::string& candidate : experiment_.candidates()) {
    if (judge_.verdict(candidate) != ArmVerdict::open) continue;
    const auto done =
        static_cast<unsigned>(std::ranges::count(result_.blocks, candidate, &BlockRecord::candidate));
    left += experiment_.most_blocks - std::min(experiment_.most_blocks, done);
  }
  return left;
}

double Runner::seconds_left(const PlannedBlock& planned) const {
  const unsigned left = blocks_left() * kWindows;
  const auto windows =
      static_cast<unsigned>(std::ranges::count(result_.windows, planned.number, &WindowRecord::block));
  return (left - std::min(left, windows % kWindows)) * in_seconds(experiment_.window + washout_);
}

void Runner::tell(RunProgress::Step step, const PlannedBlock& planned, const std::string& name) {
  seams_.tell({.step = step,
               .result = &result_,
               .block = planned.number,
               .most_blocks = static_cast<unsigned>(result_.blocks.size()) + blocks_left(),
               .candidate = planned.candidate,
               .arm = name,
               .seconds_left = seconds_left(planned)});
}

void Runner::remark(const std::string& text) {
  result_.remarks.push_back({.at = seconds(), .text = text});
}

}  // namespace bulkhead
