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
  EXPECT_EQ(left - seen, milliseconds(0)) << "at the start of the window";
  EXPECT_EQ(result.blocks.back().dropped_arm, "b");
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Running, limits_are_looked_at_in_a_long_washout) {
  Time entered{}, left{};
  on_step = [&](const RunProgress& progress) {
    if (progress.step == RunProgress::Step::washout && progress.arm == "b") {
      entered = now_;
      load_of_b = 1;
    }
    if (progress.step == RunProgress::Step::block) left = now_;
  };
  on_pass = [&] {
    if (now_ - entered > milliseconds(3400)) load_of_b = 3;
  };
  const ExperimentResult value = run(with_washout("10s", R"(, "limits": {"load": {"above": 2}})"));
  EXPECT_EQ(value.candidates[0].verdict, ArmVerdict::failed_safe);
  EXPECT_EQ(left - entered, milliseconds(4000)) << "each second";
  on_pass = {};
  const ExperimentResult rate = run(with_washout("10s", R"(, "limits": {"answers": {"above": 105}})"));
  EXPECT_EQ(rate.candidates[0].verdict, ArmVerdict::failed_safe);
  EXPECT_EQ(left - entered, milliseconds(1000)) << "over half a window, at the next look";
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Running, limits_are_looked_at_while_the_washout_is_found) {
  load_of_b = 3;
  const ExperimentResult result = run(with_washout("", R"(, "limits": {"load": {"above": 2}})"));
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::failed_safe);
  EXPECT_EQ(result.candidates[0].reason,
            "load was 3, above its limit of 2, in block 1, window 1; it was left at once");
  EXPECT_THAT(result.windows, IsEmpty());
  EXPECT_EQ(result.limit_hits.at(0).arm, "b");
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Running, a_limit_that_nobody_can_read_costs_its_block) {
  const std::string gone =
      R"("metrics": {"answers": {"page": "page", "rate": "answers_total", "per": "seconds_total",
    "better": "higher"}, "gone": {"page": "page", "value": "gone", "better": "lower"}})";
  const ExperimentResult result = run(with_metrics(gone, R"(, "limits": {"gone": {"above": 2}})"));
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::inconclusive);
  EXPECT_THAT(result.blocks[0].dropped, HasSubstr("gone: "));
  const ExperimentResult unlimited = run(with_metrics(gone, ""));
  EXPECT_EQ(unlimited.candidates[0].verdict, ArmVerdict::adopt);
  ASSERT_THAT(unlimited.remarks, SizeIs(1));
  EXPECT_THAT(unlimited.remarks[0].text, ::testing::StartsWith("metric gone was read in none of "));
}

}  // namespace
}  // namespace bulkhead
