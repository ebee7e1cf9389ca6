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
    : experiment_(experiment), arms_(arms), seams_(std::move(seams)), meters_(experiment, folder, host) {}

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
  if (window.switched) arms_.enter(arm.want, arm.policy);
  wait_until(seams_.now() + washout_);
  tell_of_measurement();
  window.measures = seconds();
  const Time begun = seams_.now();
  meters_.begin();
  std::optional<LimitHit> hit = limit_left(window, &Meters::at_start);
  if (!hit) {
    wait_until(begun + experiment_.window / 2);
    meters_.halfway();
    hit = limit_left(window, &Meters::first_half);
  }
  if (!hit) {
    wait_until(begun + experiment_.window);
    meters_.end();
    hit = limit_left(window, &Meters::whole);  // before a command that hangs is waited for
  }
  if (!hit) {
    meters_.finish_commands();
    hit = limit_left(window, &Meters::whole);
  }
  if (hit) {
    // At once: before anything is computed or written down.
    if (window.arm != control.want.name) arms_.enter(control.want, control.policy);
    meters_.abandon();
    return *std::move(hit);
  }
  window.ends = seconds();
  for (std::size_t metric = 0; metric < experiment_.metrics.size(); ++metric) {
    window.metrics.push_back(meters_.whole(metric));
  }
  const std::size_t primary = metric_index(experiment_, experiment_.primary);
  window.first_half = meters_.first_half(primary).value;
  window.second_half = meters_.second_half(primary).value;
  return window;
}

std::optional<LimitHit> WindowRunner::limit_left(const WindowRecord& window, Part part) const {
  for (const HardLimit& limit : experiment_.limits) {
    const MetricReading reading = (meters_.*part)(metric_index(experiment_, limit.metric));
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
  return std::nullopt;
}

std::vector<StepSample> WindowRunner::step_response(const StagedArm& control, const StagedArm& candidate) {
  arms_.enter(control.want, control.policy);
  wait_until(seams_.now() + experiment_.window);
  arms_.enter(candidate.want, candidate.policy);
  std::vector<StepSample> response;
  const std::size_t primary = metric_index(experiment_, experiment_.primary);
  if (std::holds_alternative<CommandSource>(experiment_.metrics[primary].source)) return response;
  const Time begun = seams_.now();
  for (unsigned sample = 0; sample < kStepSamples; ++sample) {
    meters_.begin();
    wait_until(begun + (sample + 1) * 2 * experiment_.window / kStepSamples);
    meters_.halfway();
    const MetricReading reading = meters_.first_half(primary);
    const std::chrono::duration<double> since = seams_.now() - begun;
    if (reading.value) response.push_back({since.count(), *reading.value});
  }
  meters_.abandon();
  return response;
}

void WindowRunner::wait_until(Time time) {
  do {
    if (seams_.is_asked_to_end()) throw Stopped{};
    meters_.drain();
    seams_.sleep_until(std::min(time, seams_.now() + kBetweenSignals));
  } while (seams_.now() < time);
  if (seams_.is_asked_to_end()) throw Stopped{};
}

}  // namespace bulkhead
