// SPDX-License-Identifier: Apache-2.0
// Whole experiments in a time that the test lets pass, on a host that only remembers what is in force.
#include "controller/experiment/runner.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Time = std::chrono::steady_clock::time_point;

struct Killed {};  // as by SIGKILL: nobody catches it

std::string policy(const std::string& name) {
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
    if (wanted.text == impossible) throw Error(ErrorCode::infeasible, "no way is left");
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
  std::map<std::string, std::vector<unsigned>> attached;
  std::string changed_by_others;  // once what was in force was asked for
  unsigned changes = 0, killed_at = 0;
};

class Running : public ::testing::Test {
 protected:
  Running() {
    std::string pattern = ::testing::TempDir() + "bulkhead-runner-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    host_.now = kBefore;
    write_page();
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

  // The proxy answers 100 a second under a, and `gain` times as much under b, with a little noise.
  void pass(Time::duration time) {
    now_ += time;
    const double seconds = std::chrono::duration<double>(time).count();
    noise_ = noise_ * 6364136223846793005U + 1442695040888963407U;
    const double jitter = 1 + 1e-3 * (static_cast<double>(noise_ >> 40U) / (1U << 24U) - 0.5);
    if (std::exchange(going_back_, false)) answers_ -= 1e6;
    answers_ += seconds * 100 * jitter * (host_.now == policy("b") ? gain : 1);
    seconds_ += seconds;
    write_page();
  }
  void write_page() {
    std::ofstream page(folder_ + "/page", std::ios::trunc);
    page.precision(17);
    page << (broken.empty() ? "" : broken + '\n');
    if (!dead) page << "answers_total " << answers_ << "\nseconds_total " << seconds_;
    page << "\nload " << (host_.now == policy("b") ? load_of_b : 1) << '\n';
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
};

TEST_F(Running, the_better_arm_is_adopted_and_what_was_in_force_returns) {
  const ExperimentResult result = run(text());
  ASSERT_THAT(result.candidates, SizeIs(1));
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::adopt);
  EXPECT_NEAR(result.candidates[0].estimates[0].change, 0.1, 0.002);
  EXPECT_THAT(result.verdict, StartsWith("adopt b: answers +10.0 % against a"));
  EXPECT_EQ(result.ended_by, "verdict");
  EXPECT_EQ(result.seed, 5U);
  EXPECT_THAT(result.remarks, IsEmpty());
  EXPECT_EQ(result.windows.size(), 4 * result.blocks.size());
  EXPECT_EQ(host_.now, kBefore);
  EXPECT_THAT(host_.attached, ElementsAre(std::pair<const std::string, std::vector<unsigned>>("web", {7})));
  EXPECT_FALSE(is_recorded());
}

TEST_F(Running, a_window_is_measured_after_its_washout_and_arms_change_only_where_they_must) {
  const ExperimentResult result = run(text());
  unsigned switches = 0;
  for (const WindowRecord& window : result.windows) {
    EXPECT_NEAR(window.measures - window.enters, 0.5, 1e-9);
    EXPECT_NEAR(window.ends - window.measures, 1.0, 1e-9);
    switches += window.switched;
    const BlockRecord& block = result.blocks[window.block - 1];
    EXPECT_EQ(window.arm, block.order[window.place] == 'A' ? "a" : "b");
  }
  EXPECT_EQ(host_.changes, switches);
}

TEST_F(Running, equal_arms_are_never_adopted) {
  gain = 1;
  const ExperimentResult result = run(text());
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::reject);
  EXPECT_THAT(result.verdict, HasSubstr("keep a"));
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Running, commands_of_an_arm_are_run_around_it) {
  const std::string arms = R"(, "on_enter": {"command": ["sh", "-c", "echo enter >> noted"]},
                               "on_leave": {"command": ["sh", "-c", "echo leave >> noted"]})";
  const ExperimentResult result = run(text("", arms));
  std::string expected;
  for (const WindowRecord& window : result.windows) {
    if (window.switched) expected += window.arm == "b" ? "enter\n" : expected.empty() ? "" : "leave\n";
  }
  if (result.windows.back().arm == "b") expected += "leave\n";
  EXPECT_EQ(noted(), expected);
}

TEST_F(Running, a_limit_is_left_at_the_reading_that_shows_it) {
  load_of_b = 3;
  Time seen{}, left{};
  on_step = [&](const RunProgress& progress) {
    if (progress.step == RunProgress::Step::window && progress.arm == "b") seen = now_;
    if (progress.step == RunProgress::Step::block) left = now_;
  };
  const ExperimentResult result = run(text(R"(, "limits": {"load": {"above": 2}})"));
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::failed_safe);
  ASSERT_THAT(result.limit_hits, SizeIs(1));
  EXPECT_EQ(result.limit_hits[0].text, "load was 3, above its limit of 2");
  EXPECT_EQ(left - seen, milliseconds(500)) << "half a window";
  EXPECT_EQ(result.blocks.back().dropped_arm, "b");
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Running, who_ends_it_gets_the_blocks_that_were_finished) {
  on_step = [&](const RunProgress& progress) {
    if (progress.block == 3 && progress.step == RunProgress::Step::window) asked_to_end_ = true;
  };
  const ExperimentResult result = run(text());
  EXPECT_EQ(result.ended_by, "stopped");
  EXPECT_THAT(result.blocks, SizeIs(2));
  EXPECT_THAT(result.windows, SizeIs(8));
  EXPECT_EQ(host_.now, kBefore);
  EXPECT_FALSE(is_recorded());
}

TEST_F(Running, a_source_that_dies_or_lies_costs_its_block_and_is_named) {
  const auto spoil_block_2 = [&](const std::function<void(bool)>& spoil) {
    on_step = [this, spoil](const RunProgress& progress) {
      spoil(progress.block == 2 && progress.step == RunProgress::Step::window);
      write_page();
    };
    return run(text());
  };
  for (const auto& [lie, why] :
       {std::pair("answers_total NaN", "NaN"), std::pair("answers_total many", "many")}) {
    const ExperimentResult result = spoil_block_2([&](bool spoiled) { broken = spoiled ? lie : ""; });
    EXPECT_THAT(result.blocks[1].dropped, HasSubstr(why)) << lie;
    EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::adopt);
  }
  const ExperimentResult gone = spoil_block_2([&](bool spoiled) { dead = spoiled; });
  EXPECT_THAT(gone.blocks[1].dropped, HasSubstr("answers_total"));
  const ExperimentResult back = spoil_block_2([&](bool spoiled) { going_back_ = spoiled; });
  EXPECT_THAT(back.blocks[1].dropped, Not(IsEmpty()));
  EXPECT_EQ(back.candidates[0].dropped_here + back.candidates[0].dropped_control, 1U);
}

TEST_F(Running, a_policy_that_the_host_cannot_have_is_told_before_anything_is_changed) {
  host_.impossible = policy("b");
  try {
    run(text());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no way is left, while planning arm b");
  }
  EXPECT_EQ(host_.changes, 0U);
  EXPECT_FALSE(is_recorded());
}

TEST_F(Running, an_arm_that_cannot_be_entered_ends_it) {
  host_.refused = policy("b");
  const ExperimentResult result = run(text());
  EXPECT_EQ(result.ended_by, "failed");
  ASSERT_THAT(result.remarks, SizeIs(1));
  EXPECT_EQ(result.remarks[0].text, "the kernel says no, while entering arm b");
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Running, a_host_that_changes_meanwhile_is_told) {
  on_step = [&](const RunProgress& progress) {
    if (progress.block == 2) host_.governor = "powersave";
  };
  const ExperimentResult result = run(text());
  ASSERT_THAT(result.remarks, SizeIs(1));
  EXPECT_EQ(result.remarks[0].text,
            "the host has changed meanwhile: governor was performance, and is powersave");
}

// Whatever had been done by then.
TEST_F(Running, after_a_kill_the_next_one_brings_back_what_was_in_force) {
  const std::string arms = R"(, "on_leave": {"command": ["sh", "-c", "echo leave >> noted"]})";
  for (int steps = 1; steps < 30; ++steps) {
    host_.now = kBefore;
    std::filesystem::remove(folder_ + "/noted");
    int left = steps;
    std::string arm;
    on_step = [&](const RunProgress& progress) {
      if (left-- == 0) throw Killed{};
      if (progress.step == RunProgress::Step::window) arm = progress.arm;
    };
    EXPECT_THROW(run(text("", arms)), Killed);
    EXPECT_TRUE(is_recorded());
    Store store(folder_ + "/run");
    EXPECT_EQ(end_interrupted_experiment(store, host_), "try");
    EXPECT_EQ(host_.now, kBefore);
    EXPECT_EQ(end_interrupted_experiment(store, host_), std::nullopt);
    if (arm == "b") {
      EXPECT_THAT(noted(), ::testing::EndsWith("leave\n"));
    }
  }
}

TEST_F(Running, what_was_killed_goes_on_with_the_same_blocks) {
  const ExperimentResult whole = run(text());
  answers_ = seconds_ = 0;
  on_step = [&](const RunProgress& progress) {
    if (progress.block == 3 && progress.step == RunProgress::Step::window) throw Killed{};
  };
  EXPECT_THROW(run(text(R"(, "on_restart": "resume")")), Killed);
  on_step = {};
  Store store(folder_ + "/run");
  const ExperimentRecord record(store);
  const auto running = record.read();
  ASSERT_TRUE(running);
  EXPECT_EQ(running->on_restart, OnRestart::resume);
  Store again(folder_ + "/run");
  Runner runner(running->input, host_, again, seams());
  const ExperimentResult result = runner.resume(*running, *record.read_progress());
  ASSERT_GE(result.blocks.size(), 3U);
  for (std::size_t block = 0; block < std::min(result.blocks.size(), whole.blocks.size()); ++block) {
    EXPECT_EQ(result.blocks[block].order, whole.blocks[block].order);
  }
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::adopt);
  EXPECT_EQ(result.remarks.front().text, "the experiment was interrupted here, and goes on");
  EXPECT_EQ(host_.now, kBefore);
}

// The record says b, but a is what is in force.
TEST_F(Running, an_arm_that_was_being_entered_when_it_was_killed_is_entered_anew) {
  host_.killed_at = 4;
  EXPECT_THROW(run(text(R"(, "on_restart": "resume")")), Killed);
  const ExperimentResult result = go_on([&](const RunProgress& progress) {
    if (progress.step == RunProgress::Step::window) {
      EXPECT_EQ(host_.now, policy(progress.arm));
    }
  });
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::adopt);
  EXPECT_EQ(result.candidates[0].dropped_here + result.candidates[0].dropped_control, 0U);
}

TEST_F(Running, whoever_will_resume_it_leaves_the_arm_and_keeps_the_record) {
  const std::string arms = R"(, "on_leave": {"command": ["sh", "-c", "echo leave >> noted"]})";
  will_be_resumed_ = true;
  on_step = [&](const RunProgress& progress) {
    asked_to_end_ = progress.block == 2 && progress.step == RunProgress::Step::window && progress.arm == "b";
  };
  EXPECT_EQ(run(text(R"(, "on_restart": "resume")", arms)).ended_by, "stopped");
  EXPECT_EQ(host_.now, kBefore);
  EXPECT_TRUE(is_recorded());
  EXPECT_THAT(noted(), ::testing::EndsWith("leave\n"));
  asked_to_end_ = false;
  EXPECT_EQ(go_on({}).candidates[0].verdict, ArmVerdict::adopt);
}

TEST_F(Running, what_may_not_be_resumed_is_ended_all_the_same) {
  will_be_resumed_ = true;
  on_step = [&](const RunProgress& progress) { asked_to_end_ = progress.block == 2; };
  EXPECT_EQ(run(text()).ended_by, "stopped");
  EXPECT_EQ(host_.now, kBefore);
  EXPECT_FALSE(is_recorded());
}

TEST_F(Running, what_others_put_in_force_while_it_began_returns_as_well) {
  host_.changed_by_others = policy("theirs");
  EXPECT_EQ(run(text()).ended_by, "verdict");
  EXPECT_EQ(host_.now, policy("theirs"));
}

TEST_F(Running, nobody_else_may_change_what_is_in_force_until_it_has_ended) {
  Store store(folder_ + "/run");
  ExperimentRecord::require_none(store);
  on_step = [](const RunProgress&) { throw Killed{}; };
  EXPECT_THROW(run(text()), Killed);
  try {
    ExperimentRecord::require_none(store);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::conflict);
    EXPECT_STREQ(error.what(), "the experiment try has this host until it ends: wait, or end it first");
  }
  end_interrupted_experiment(store, host_);
  ExperimentRecord::require_none(store);
}

TEST_F(Running, one_at_a_time) {
  Store store(folder_ + "/run");
  ExperimentRecord other(store);
  other.lock();
  EXPECT_THROW(run(text()), Error);
  EXPECT_EQ(host_.changes, 0U);
}

}  // namespace
}  // namespace bulkhead
