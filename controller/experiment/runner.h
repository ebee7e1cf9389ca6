// SPDX-License-Identifier: Apache-2.0
// Runs an experiment: arm, washout, measurement, block after block, until the data decide; with a search
// first, where one is asked for. Whatever ends it, the state from before returns.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/experiment/arm_switch.h"
#include "controller/experiment/experiment_host.h"
#include "controller/experiment/experiment_input.h"
#include "controller/experiment/experiment_record.h"
#include "controller/experiment/judge.h"
#include "controller/experiment/result.h"
#include "controller/experiment/schedule.h"
#include "controller/experiment/search_trials.h"
#include "controller/experiment/window_runner.h"

namespace bulkhead {

// Where an experiment stands, told at each step.
struct RunProgress {
  // `begun`: nobody else can begin one, and nothing is changed yet.
  enum class Step { begun, washout, window, measured, block, ended } step = Step::washout;
  const ExperimentResult* result = nullptr;
  const WindowRecord* window = nullptr;  // of `measured`
  const BlockRecord* ended = nullptr;    // of `block`
  bool searches = false;     // the blocks are evaluations of a search, each of a candidate of its own
  unsigned block = 0;        // that runs
  unsigned most_blocks = 0;  // of the search; of all candidates that are still in, and those that have run
  std::string candidate;
  std::string arm;
  double seconds_left = 0;  // at most
};

struct RunnerSeams : WindowSeams {
  std::function<void(const RunProgress&)> tell = [](const RunProgress&) {};
  // Whether somebody who asks to end means to resume it where the experiment allows that.
  std::function<bool()> will_be_resumed = [] { return false; };
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
  struct BlockRun {
    BlockRecord block;
    std::vector<WindowRecord> windows;
    std::optional<LimitHit> hit;
  };

  ExperimentResult run_to_the_end();
  void restore();
  void search();
  std::optional<Trial> next_that_this_host_can_have();
  void evaluate(const Trial& trial, const PlannedBlock& planned);
  void choose();
  void compare();
  void judge_again(unsigned blocks_done);
  void drop_decided();
  void report();
  BlockRun run_block(const PlannedBlock& planned, const StagedArm& candidate);
  std::optional<LimitHit> find_washout(const PlannedBlock& planned, const StagedArm& candidate);
  void lengthen_washout();
  void note_facts();
  void note_what_was_never_read();
  void note_latency();
  void tell(RunProgress progress, const PlannedBlock& planned, unsigned windows_done = 0);
  unsigned blocks_left() const;
  StagedArm staged(const std::string& name) const;
  void remark(const std::string& text);

  ExperimentInput input_;
  Experiment experiment_;
  ExperimentHost& host_;
  ExperimentRecord record_;
  RunnerSeams seams_;
  ArmSwitch arms_;
  WindowRunner windows_;
  std::optional<SearchTrials> trials_;
  std::vector<std::string> candidates_;
  Judge judge_;
  ExperimentResult result_;
  std::optional<Schedule> schedule_;
  bool searches_ = false;
  double slowest_window_ = 0;  // seconds, with its washout
  std::map<std::string, std::string> facts_;  // at the start
};

}  // namespace bulkhead
