// SPDX-License-Identifier: Apache-2.0
// Which arm is in force. Each change is recorded before it is made, so that whoever comes after a kill knows
// what to leave and what to bring back.
#pragma once

#include <functional>
#include <string>

#include "controller/experiment/experiment_host.h"
#include "controller/experiment/experiment_record.h"
#include "policies/experiment.h"

namespace bulkhead {

class ArmSwitch {
 public:
  // Both must outlive it.
  ArmSwitch(ExperimentHost& host, ExperimentRecord& record) : host_(host), record_(record) {}

  // Records what is in force now, as what is to return.
  void begin(const ExperimentInput& input, OnRestart on_restart);
  // The same as another runner has recorded it; `arm` is its last one, if it had entered any.
  void take_over(const RunningExperiment& running, const ArmWant* arm);

  // Leaves the arm that is in force, and enters this one. Throws Error, also where its command is given up;
  // what is in force is not known then.
  void enter(
      const ArmWant& arm, const PolicySource& policy,
      const std::function<bool()>& gives_up = [] { return false; });
  // Nothing where no arm is in force.
  void leave();
  // Its name, also of one that is being entered; empty for none.
  const std::string& arm() const { return running_.arm; }

  // Leaves the arm, and what was in force before the first one returns. With `resumes` the record stays.
  // Throws Error; where the record is gone all that failed is what the arm runs when it is left.
  void end(bool resumes);
  OnRestart on_restart() const { return running_.on_restart; }

 private:
  ExperimentHost& host_;
  ExperimentRecord& record_;
  RunningExperiment running_;
  std::optional<Command> on_leave_;  // of the arm that is in force
};

}  // namespace bulkhead
