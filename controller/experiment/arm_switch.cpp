// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/arm_switch.h"

#include <utility>

#include "controller/base/error.h"
#include "controller/experiment/child_process.h"

namespace bulkhead {

// Once the record is there nobody else changes what is in force; until then somebody may have.
void ArmSwitch::begin(const ExperimentInput& input, OnRestart on_restart) {
  running_ = {.input = input, .before = host_.in_force(), .arm = {}, .on_restart = on_restart};
  record_.write(running_);
  StateBefore now = host_.in_force();
  if (now == running_.before) return;
  running_.before = std::move(now);
  record_.write(running_);
}

void ArmSwitch::take_over(const RunningExperiment& running, const ArmWant* arm) {
  running_ = running;
  if (arm != nullptr) on_leave_ = arm->on_leave;
}

void ArmSwitch::enter(const ArmWant& arm, const PolicySource& policy,
                      const std::function<bool()>& gives_up) {
  leave();
  running_.arm = arm.name;
  record_.write(running_);
  on_leave_ = arm.on_leave;
  try {
    host_.put_in_force(policy);
    if (arm.on_enter) {
      run_command(arm.on_enter->words, running_.input.folder, arm.on_enter->time_limit, gives_up);
    }
  } catch (Error& error) {
    error.add_context("entering arm " + arm.name);
    throw;
  }
}

void ArmSwitch::leave() {
  if (running_.arm.empty()) return;
  // Once: what fails is told, and is not run again when the experiment ends for it.
  const std::string arm = std::exchange(running_.arm, {});
  const std::optional<Command> on_leave = std::exchange(on_leave_, std::nullopt);
  if (!on_leave) return;
  try {
    run_command(on_leave->words, running_.input.folder, on_leave->time_limit);
  } catch (Error& error) {
    error.add_context("leaving arm " + arm);
    throw;
  }
}

void ArmSwitch::end(bool resumes) {
  resumes ? suspend_experiment(record_, running_, host_) : end_experiment(record_, running_, host_);
}

}  // namespace bulkhead
