// SPDX-License-Identifier: Apache-2.0
// What a running experiment has on disk, so that whatever ends it the state from before returns: at the next
// start of a Bulkhead, if not before.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/base/unique_fd.h"
#include "controller/engine/store.h"
#include "controller/experiment/experiment_host.h"
#include "controller/experiment/experiment_input.h"
#include "controller/experiment/result.h"

namespace bulkhead {

struct RunningExperiment {
  ExperimentInput input;
  StateBefore before;
  std::string arm;  // that was entered last, or is being entered; empty before the first
  OnRestart on_restart = OnRestart::restore;
};

class ExperimentRecord {
 public:
  // In the directory of the host's state. It must outlive the record.
  explicit ExperimentRecord(Store& store) : store_(store) {}

  // Nobody else runs or ends an experiment on this host meanwhile. Error(conflict) if somebody does.
  void lock();

  void write(const RunningExperiment& running);
  void write_progress(const ExperimentResult& result);
  void remove();  // the state from before is there again

  // Nothing where none is recorded. Throws Error(refused) where it cannot be read.
  std::optional<RunningExperiment> read() const;
  std::optional<ExperimentResult> read_progress() const;

  // Whether an experiment has this host; whoever ran it may have been killed.
  static bool is_there(const Store& store);
  // The same as Error(conflict) that names the experiment, for who would change what is in force.
  static void require_none(Store& store);

 private:
  Store& store_;
  UniqueFd lock_;
};

// Leaves the arm and brings back what was in force before it; the record goes.
void end_experiment(ExperimentRecord& record, const RunningExperiment& running, ExperimentHost& host);

// The same, but the record stays: who runs the next Bulkhead may resume it. Until then no arm is in force.
void suspend_experiment(ExperimentRecord& record, RunningExperiment running, ExperimentHost& host);

// The name of an experiment that nobody runs any more and that was ended now; nothing if there was none, or
// it runs.
std::optional<std::string> end_interrupted_experiment(Store& store, ExperimentHost& host);

}  // namespace bulkhead
