// SPDX-License-Identifier: Apache-2.0
// Whole experiments in a time that the test lets pass, on a host that only remembers what is in force.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>

#include "controller/base/error.h"
#include "controller/experiment/runner.h"

namespace bulkhead {

struct Killed {};  // as by SIGKILL: nobody catches it

inline std::string policy(const std::string& name) {
  return R"({"bulkhead": 1, "name": ")" + name +
         R"(", "services": {"web": {"select": {"cgroup": "/web"}, "cpus": "all"}}})";
}

class FakeHost : public ExperimentHost {
 public:
  StateBefore in_force() override {
    const std::string seen = now;
    if (!changed_by_others.empty()) now = std::exchange(changed_by_others, {});
    return {.policy = {seen, "now.json"}, .attached = {{"web", {7}}}};
  }
  std::string plan(const PolicySource& wanted) override {
    if (wanted.text == impossible || is_impossible(wanted.text))
      throw Error(ErrorCode::infeasible, "no way is left");
    return "{}";
  }
  void put_in_force(const PolicySource& wanted) override {
    if (++changes == killed_at) throw Killed{};
    if (wanted.text == refused) throw Error(ErrorCode::refused, "the kernel says no");
    now = wanted.text;
  }
  void restore(const StateBefore& before) override {
    now = before.policy.text;
    attached = before.attached;
  }
  ServiceUse use_of(const std::string&) override { return {.why_none = "nothing is counted here"}; }
  std::map<std::string, std::string> facts() override { return {{"governor", governor}}; }

  std::string now, impossible = "-", refused = "-", governor = "performance";
  std::function<bool(const std::string&)> is_impossible = [](const std::string&) { return false; };
  std::map<std::string, std::vector<unsigned>> attached;
  std::string changed_by_others;  // once what was in force was asked for
  unsigned changes = 0, killed_at = 0;
};

using Time = std::chrono::steady_clock::time_point;

class Running : public ::testing::Test {
 protected:
  Running() {
    std::string pattern = ::testing::TempDir() + "bulkhead-runner-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    host_.now = kBefore;
    std::ofstream(folder_ + "/page") << "answers_total 0\nseconds_total 0\nload 1\n";
  }
  ~Running() override { std::filesystem::remove_all(folder_); }

  // `more` stands between the arms and the metrics.
  std::string text(const std::string& more = "", const std::string& arms = "") {
    return R"({"experiment": 1, "name": "try",
      "arms": {"a": {"policy": "a.json"}, "b": {"policy": "b.json")" +
           arms + R"(}}, "control": "a",
      "metrics": {"answers": {"page": "page", "rate": "answers_total", "per": "seconds_total", "better": "higher"},
                  "load": {"page": "page", "value": "load", "better": "lower"}},
      "primary": "answers", "window": "1s", "washout": "500ms", "blocks": {"least": 3, "most": 12}, "seed": 5)" +
           more + "}";
  }
  // The washout, or none, and the metrics, are these instead.
  std::string with_washout(const std::string& washout, const std::string& more) {
    return replaced(text(more), R"("washout": "500ms",)",
                    washout.empty() ? "" : R"("washout": ")" + washout + R"(",)");
  }
  std::string with_metrics(const std::string& metrics, const std::string& more) {
    const std::string whole = text(more);
    const auto begin = whole.find(R"("metrics")"), end = whole.find(R"("primary")");
    return whole.substr(0, begin) + metrics + ",\n" + whole.substr(end);
  }
  static std::string replaced(std::string whole, const std::string& part, const std::string& by) {
    return whole.replace(whole.find(part), part.size(), by);
  }
  ExperimentInput input(const std::string& experiment) {
    return {.source = {experiment, "try.json"},
            .folder = folder_,
            .policies = {{"a.json", {policy("a"), "a.json"}}, {"b.json", {policy("b"), "b.json"}}}};
  }
  RunnerSeams seams() {
    RunnerSeams seams;
    seams.now = [this] { return now_; };
    seams.sleep_until = [this](Time time) { pass(std::max(time - now_, Time::duration(0))); };
    seams.tell = [this](const RunProgress& progress) {
      if (on_step) on_step(progress);
    };
    seams.is_asked_to_end = [this] { return asked_to_end_; };
    seams.will_be_resumed = [this] { return will_be_resumed_; };
    return seams;
  }
  ExperimentResult run(const std::string& experiment) {
    Store store(folder_ + "/run");
    return Runner(input(experiment), host_, store, seams()).run();
  }

  // As who starts after a kill, or after it was left to be resumed.
  ExperimentResult go_on(std::function<void(const RunProgress&)> then) {
    on_step = std::move(then);
    will_be_resumed_ = false;
    Store store(folder_ + "/run");
    const ExperimentRecord record(store);
    const RunningExperiment running = record.read().value();
    Runner runner(running.input, host_, store, seams());
    ExperimentResult result = runner.resume(running, record.read_progress().value());
    EXPECT_EQ(host_.now, kBefore);
    EXPECT_FALSE(is_recorded());
    return result;
  }

  virtual double speed() const { return host_.now == policy("b") ? gain : 1; }
  virtual double load() const { return host_.now == policy("b") ? load_of_b : 1; }

  // The proxy answers 100 times its speed a second, with a little noise.
  void pass(Time::duration time) {
    now_ += time;
    const double seconds = std::chrono::duration<double>(time).count();
    noise_ = noise_ * 6364136223846793005U + 1442695040888963407U;
    const double jitter = 1 + 1e-3 * (static_cast<double>(noise_ >> 40U) / (1U << 24U) - 0.5);
    if (on_pass) on_pass();
    if (std::exchange(going_back_, false)) answers_ -= 1e6;
    answers_ += seconds * 100 * jitter * speed();
    seconds_ += seconds;
    write_page();
  }
  void write_page() {
    std::ofstream page(folder_ + "/page", std::ios::trunc);
    page.precision(17);
    page << (broken.empty() ? "" : broken + '\n');
    if (!dead) page << "answers_total " << answers_ << "\nseconds_total " << seconds_;
    page << "\nload " << load() << '\n';
  }
  std::string noted() {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/noted").rdbuf();
    return text.str();
  }
  bool is_recorded() const { return std::filesystem::exists(folder_ + "/run/experiment.json"); }

  const std::string kBefore = policy("before");
  FakeHost host_;
  std::string folder_;
  Time now_{std::chrono::seconds(1000)};
  double answers_ = 0, seconds_ = 0, gain = 1.1, load_of_b = 1;
  std::uint64_t noise_ = 1;
  bool dead = false, asked_to_end_ = false, will_be_resumed_ = false, going_back_ = false;
  std::string broken;
  std::function<void(const RunProgress&)> on_step;
  std::function<void()> on_pass;
};

}  // namespace bulkhead
