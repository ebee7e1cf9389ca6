// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/unit/experiment/running.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
TEST_F(Running, the_better_arm_is_adopted_and_what_was_in_force_returns) {
  const ExperimentResult result = run(text());
  ASSERT_THAT(result.candidates, SizeIs(1));
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::adopt);
  EXPECT_NEAR(result.candidates[0].estimates[0].change.value(), 0.1, 0.002);
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

TEST_F(Running, a_command_that_fails_when_an_arm_is_left_is_told_once_and_run_once) {
  const ExperimentResult result =
      run(text("", R"(, "on_leave": {"command": ["sh", "-c", "echo leave >> noted; false"]})"));
  EXPECT_EQ(result.ended_by, "failed");
  EXPECT_EQ(result.failure, "sh ended with status 1, while leaving arm b");
  ASSERT_THAT(result.remarks, SizeIs(1));
  EXPECT_EQ(noted(), "leave\n");
  EXPECT_EQ(host_.now, kBefore);
  EXPECT_FALSE(is_recorded());
}

TEST_F(Running, who_ends_it_does_not_wait_for_what_an_arm_runs) {
  on_step = [&](const RunProgress& progress) { asked_to_end_ = progress.arm == "b"; };
  const ExperimentResult result =
      run(text("", R"(, "on_enter": {"command": ["sleep", "1000"], "time_limit": "10m"})"));
  EXPECT_EQ(result.ended_by, "stopped");
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
  for (const char* why : {"NaN", "many"}) {
    const std::string lie = std::string("answers_total ") + why;
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

TEST_F(Running, a_copy_of_an_arm_is_no_other_arm) {
  ExperimentInput copied = input(text());
  copied.policies["b.json"].text = copied.policies["a.json"].text;
  Store store(folder_ + "/run");
  try {
    Runner(copied, host_, store, seams());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the arm \"a\" is the same already"));
  }
  copied.source.text = text("", R"(, "on_enter": {"command": ["true"]})");
  EXPECT_EQ(Runner(copied, host_, store, seams()).run().candidates[0].verdict, ArmVerdict::reject);
}

TEST_F(Running, an_arm_that_cannot_be_entered_ends_it) {
  host_.refused = policy("b");
  const ExperimentResult result = run(text());
  EXPECT_EQ(result.ended_by, "failed");
  ASSERT_THAT(result.remarks, SizeIs(1));
  EXPECT_EQ(result.remarks[0].text, "the kernel says no, while entering arm b");
  EXPECT_EQ(result.failure, result.remarks[0].text);
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
