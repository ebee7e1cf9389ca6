// SPDX-License-Identifier: Apache-2.0
// One window: an arm is entered where it is not in force, a washout goes by, and everything is measured; or a
// hard limit is left. Times are those of the experiment's own clock.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/experiment/arm_switch.h"
#include "controller/experiment/limit_watch.h"
#include "controller/experiment/meters.h"
#include "controller/experiment/result.h"
#include "controller/experiment/washout_check.h"

namespace bulkhead {

struct WindowSeams {
  std::function<bool()> is_asked_to_end = [] { return false; };
  // Waits until then; a test lets time pass otherwise.
  std::function<void(std::chrono::steady_clock::time_point)> sleep_until;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  WindowSeams();
};

// An arm with the policy that it puts in force.
struct StagedArm {
  const ArmWant& want;
  const PolicySource& policy;
};

class WindowRunner {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Stopped {};  // thrown by everything that waits, once it is asked to end

  // All must outlive it.
  WindowRunner(const Experiment& experiment, const std::string& folder, ExperimentHost& host, ArmSwitch& arms,
               WindowSeams seams);

  // The clock starts, `seconds` having gone by before.
  void start_clock(double seconds);
  double seconds() const;

  void set_washout(std::chrono::milliseconds washout) { washout_ = washout; }
  std::chrono::milliseconds washout() const { return washout_; }

  // `window` says which one it is. With a limit hit the control is in force again when it returns.
  std::variant<WindowRecord, LimitHit> run(WindowRecord window, const StagedArm& arm,
                                           const StagedArm& control,
                                           const std::function<void()>& tell_of_measurement);

  // How the primary metric responds to a switch from the control to the candidate, over two windows; empty
  // where its source tells of whole windows only. `window` says which one comes after it; a limit hit is as
  // that of a window.
  std::variant<std::vector<StepSample>, LimitHit> step_response(const WindowRecord& window,
                                                                const StagedArm& control,
                                                                const StagedArm& candidate);

  void give_up() { meters_.abandon(); }

 private:
  using Part = MetricReading (Meters::*)(std::size_t) const;

  std::optional<PassedLimit> wait_until(Time time);
  std::optional<PassedLimit> passed(Part part) const;
  void enter(const StagedArm& arm);
  void watch_limits(const StagedArm& arm, const StagedArm& control);
  LimitHit leave(const WindowRecord& window, PassedLimit&& passed, const StagedArm& control);
  std::optional<PassedLimit> measure(const std::function<void()>& tell_of_measurement, WindowRecord& window);

  const Experiment& experiment_;
  ArmSwitch& arms_;
  WindowSeams seams_;
  Meters meters_;
  LimitWatch limits_;
  std::chrono::milliseconds washout_{0};
  Time start_;
};

}  // namespace bulkhead
