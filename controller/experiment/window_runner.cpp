// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/window_runner.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "controller/experiment/block_differences.h"
#include "controller/experiment/hard_limit.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenSignals{50};  // at signals, and at what commands write
constexpr unsigned kStepSamples = 24;

}  // namespace

WindowSeams::WindowSeams()
    : sleep_until([](std::chrono::steady_clock::time_point time) { std::this_thread::sleep_until(time); }) {}

WindowRunner::WindowRunner(const Experiment& experiment, const std::string& folder, ExperimentHost& host,
                           ArmSwitch& arms, WindowSeams seams)
    : experiment_(experiment),
      arms_(arms),
      seams_(std::move(seams)),
      meters_(experiment, folder, host),
      limits_(experiment, folder, host) {}

void WindowRunner::start_clock(double seconds) {
  start_ = seams_.now() - std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
}

double WindowRunner::seconds() const {
  return std::chrono::duration<double>(seams_.now() - start_).count();
}

std::variant<WindowRecord, LimitHit> WindowRunner::run(WindowRecord window, const StagedArm& arm,
                                                       const StagedArm& control,
                                                       const std::function<void()>& tell_of_measurement) {
  window.switched = arms_.arm() != window.arm;
  window.enters = seconds();
  if (window.switched) enter(arm);
  watch_limits(arm, control);
  std::optional<PassedLimit> passed = wait_until(seams_.now() + washout_);
  if (!passed) passed = measure(tell_of_measurement, window);
  if (passed) return leave(window, *std::move(passed), control);
  window.ends = seconds();
  for (std::size_t metric = 0; metric < experiment_.metrics.size(); ++metric) {
    window.metrics.push_back(meters_.whole(metric));
  }
  const std::size_t primary = metric_index(experiment_, experiment_.primary);
  window.first_half = meters_.first_half(primary).value;
  window.second_half = meters_.second_half(primary).value;
  return window;
}

// What has passed a limit, as soon as that is read.
std::optional<PassedLimit> WindowRunner::measure(const std::function<void()>& tell_of_measurement,
                                                 WindowRecord& window) {
  tell_of_measurement();
  window.measures = seconds();
  const Time begun = seams_.now();
  limits_.window_begins();
  meters_.begin();
  if (auto hit = passed(&Meters::at_start)) return hit;
  if (auto hit = wait_until(begun + experiment_.window / 2)) return hit;
  meters_.halfway();
  if (auto hit = passed(&Meters::first_half)) return hit;
  if (auto hit = wait_until(begun + experiment_.window)) return hit;
  meters_.end();
  if (auto hit = passed(&Meters::whole)) return hit;  // before a command that hangs is waited for
  meters_.finish_commands(seams_.is_asked_to_end);
  if (seams_.is_asked_to_end()) throw Stopped{};
  return passed(&Meters::whole);
}

std::optional<PassedLimit> WindowRunner::passed(Part part) const {
  return passed_limit(experiment_, [&](std::size_t metric) { return (meters_.*part)(metric); });
}

// At once: before anything is computed or written down.
LimitHit WindowRunner::leave(const WindowRecord& window, PassedLimit&& passed, const StagedArm& control) {
  const double at = seconds();
  if (window.arm != control.want.name) enter(control);
  meters_.abandon();
  return {.at = at,
          .block = window.block,
          .place = window.place,
          .arm = window.arm,
          .metric = std::move(passed.metric),
          .value = passed.value,
          .text = std::move(passed.text)};
}

// Who asks to end does not wait for what an arm runs.
void WindowRunner::enter(const StagedArm& arm) {
  try {
    arms_.enter(arm.want, arm.policy, seams_.is_asked_to_end);
  } catch (const Error&) {
    if (seams_.is_asked_to_end()) throw Stopped{};
    throw;
  }
}

void WindowRunner::watch_limits(const StagedArm& arm, const StagedArm& control) {
  arm.want.name == control.want.name ? limits_.control_begins() : limits_.candidate_begins(seams_.now());
}

std::variant<std::vector<StepSample>, LimitHit> WindowRunner::step_response(const WindowRecord& window,
                                                                            const StagedArm& control,
                                                                            const StagedArm& candidate) {
  WindowRecord now = window;
  const auto enter_and_wait = [&](const StagedArm& arm, Time::duration time) {
    now.arm = arm.want.name;
    enter(arm);
    watch_limits(arm, control);
    return wait_until(seams_.now() + time);
  };
  if (auto hit = enter_and_wait(control, experiment_.window)) return leave(now, *std::move(hit), control);
  if (auto hit = enter_and_wait(candidate, {})) return leave(now, *std::move(hit), control);
  std::vector<StepSample> response;
  const std::size_t primary = metric_index(experiment_, experiment_.primary);
  if (std::holds_alternative<CommandSource>(experiment_.metrics[primary].source)) return response;
  const Time begun = seams_.now();
  for (unsigned sample = 0; sample < kStepSamples; ++sample) {
    meters_.begin();
    if (auto hit = wait_until(begun + (sample + 1) * 2 * experiment_.window / kStepSamples))
      return leave(now, *std::move(hit), control);
    meters_.halfway();
    const MetricReading reading = meters_.first_half(primary);
    const std::chrono::duration<double> since = seams_.now() - begun;
    if (reading.value) response.push_back({since.count(), *reading.value});
  }
  meters_.abandon();
  return response;
}

// The limit that is passed meanwhile.
std::optional<PassedLimit> WindowRunner::wait_until(Time time) {
  do {
    if (seams_.is_asked_to_end()) throw Stopped{};
    if (auto hit = limits_.look(seams_.now, time)) return hit;
    meters_.drain();
    seams_.sleep_until(std::min(time, seams_.now() + kBetweenSignals));
  } while (seams_.now() < time);
  if (seams_.is_asked_to_end()) throw Stopped{};
  return std::nullopt;
}

}  // namespace bulkhead
