// SPDX-License-Identifier: Apache-2.0
// Runs an experiment: arm, washout, measurement, block after block, until the data decide. Whatever ends it,
// the state from before returns.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controller/experiment/experiment_host.h"
#include "controller/experiment/experiment_input.h"
#include "controller/experiment/experiment_record.h"
#include "controller/experiment/judge.h"
#include "controller/experiment/meters.h"
#include "controller/experiment/result.h"
#include "controller/experiment/schedule.h"

namespace bulkhead {

// Where an experiment stands, told at each step.
struct RunProgress {
  // `begun`: nobody else can begin one, and nothing is changed yet. `measured`: the window is in the result.
  enum class Step { begun, washout, window, measured, block, ended } step = Step::washout;
  const ExperimentResult* result = nullptr;
  unsigned block = 0;        // that runs
  unsigned most_blocks = 0;  // of all candidates that are still in, and those that have run
  std::string candidate;
  std::string arm;
  double seconds_left = 0;  // at most
};

struct RunnerSeams {
  std::function<void(const RunProgress&)> tell = [](const RunProgress&) {};
  std::function<bool()> is_asked_to_end = [] { return false; };
  // Whether somebody who asks to end means to resume it where the experiment allows that.
  std::function<bool()> will_be_resumed = [] { return false; };
  // Waits until then; a test lets time pass otherwise.
  std::function<void(std::chrono::steady_clock::time_point)> sleep_until;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  RunnerSeams();
};

class Runner {
 public:
  // Throws Error where the experiment is wrong, or this host cannot have one of its policies; nothing is
  // changed then. All must outlive the runner.
  Runner(ExperimentInput input, ExperimentHost& host, Store& store, RunnerSeams seams = {});

  // How long it takes, and which blocks come first.
  const Experiment& experiment() const { return experiment_; }
  const std::vector<ArmDescription>& arms() const { return result_.arms; }

  // To the end. Throws Error(conflict) if another experiment runs here; any other failure is told by
  // `ended_by` and the remarks, unless the state from before does not return: that is thrown.
  ExperimentResult run();

  // The same from where a runner that was killed, or that was to be resumed, had got to.
  ExperimentResult resume(const RunningExperiment& running, ExperimentResult progress);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Stopped {};

  void begin();
  void describe_arms();
  void describe();
  ExperimentResult run_to_the_end(unsigned blocks_done);
  void run_blocks(unsigned blocks_done);
  void judge_again(unsigned blocks_done);
  void drop_decided();
  void run_block(const PlannedBlock& planned);
  bool run_window(const PlannedBlock& planned, unsigned place);
  void enter(const std::string& arm);
  void leave();
  void wait_until(Time time);
  std::optional<LimitHit> limit_left(const WindowRecord& window,
                                     MetricReading (Meters::*part)(std::size_t) const) const;
  void leave_limit(const LimitHit& hit);
  void find_washout(const std::string& candidate);
  void note_facts();
  void restore();
  void tell(RunProgress::Step step, const PlannedBlock& planned, const std::string& arm);
  unsigned blocks_left() const;
  double seconds_left(const PlannedBlock& planned) const;
  double seconds() const;
  const ArmWant& arm(const std::string& name) const;
  void remark(const std::string& text);

  ExperimentInput input_;
  Experiment experiment_;
  ExperimentHost& host_;
  ExperimentRecord record_;
  RunnerSeams seams_;
  Judge judge_;
  Meters meters_;
  ExperimentResult result_;
  std::optional<Schedule> schedule_;
  RunningExperiment running_;
  std::map<std::string, std::string> facts_;  // at the start
  std::chrono::milliseconds washout_{0};
  Time start_;
};

}  // namespace bulkhead
