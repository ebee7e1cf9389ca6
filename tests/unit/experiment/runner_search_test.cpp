// SPDX-License-Identifier: Apache-2.0
// An experiment that searches: more CCDs help up to six, more ways always, and both together are too slow.
#include <algorithm>
#include <gmock/gmock.h>
#include <iterator>

#include "policies/reader.h"
#include "tests/unit/experiment/running.h"

namespace bulkhead {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Searching : public Running {
 protected:
  std::string searching(const std::string& more = "") {
    std::string found = text(more);
    const auto shorter = [&](const std::string& before, const std::string& after) {
      found.replace(found.find(before), before.size(), after);
    };
    shorter("1s", "200ms");
    shorter("500ms", "100ms");
    const std::string second = R"(, "b": {"policy": "b.json"})";
    found.erase(found.find(second), second.size());
    return found.insert(found.find(R"("control")"), R"("search": {"policy": "t.json", "service": "web",
      "ccds": [2, 4, 6, 8], "ways": [4, 8, 12], "latency": {"metric": "load", "limit": 1.55}, "evaluations": 8}, )");
  }
  ExperimentInput search_input(const std::string& experiment) {
    return {.source = {experiment, "try.json"},
            .folder = folder_,
            .policies = {{"a.json", {policy("a"), "a.json"}},
                         {"t.json",
                          {R"({"bulkhead": 1, "name": "t", "services": {"web": {"select": {"cgroup": "/web"},
                             "cpus": {"count": {"ccds": 1}}}}})",
                           "t.json"}}}};
  }
  ExperimentResult search(const std::string& experiment) {
    Store store(folder_ + "/run");
    return Runner(search_input(experiment), host_, store, seams()).run();
  }

  // CCDs and ways in force; none of the control.
  std::pair<unsigned, unsigned> in_force() const {
    if (host_.now == policy("a") || host_.now == kBefore) return {0, 0};
    const Service web = require_policy(host_.now, "now").services.at(0);
    return {web.cpus.count, std::get<Ways>(web.l3->data).count};
  }
  double speed() const override {
    const auto [ccds, ways] = in_force();
    return ccds == 0 ? 1 : 1 + 0.03 * std::min(ccds, 6U) + 0.01 * ways;
  }
  double load() const override {
    const auto [ccds, ways] = in_force();
    return ccds == 0 ? 1 : 0.5 + 0.1 * ccds + slowness_of_ways_ * ways;
  }

  double slowness_of_ways_ = 0.05;
};

TEST_F(Searching, finds_the_best_that_keeps_the_limit_and_compares_it) {
  const ExperimentResult result = search(searching());
  ASSERT_TRUE(result.search);
  EXPECT_EQ(result.search->found, "6 CCDs, 8 ways");  // 6 and 12 would be 1.7
  EXPECT_EQ(result.search->combinations, 12U);
  EXPECT_EQ(result.search->left_out, 0U);
  ASSERT_THAT(result.search->evaluations, SizeIs(8));
  for (const Evaluation& evaluation : result.search->evaluations) {
    EXPECT_THAT(evaluation.windows, SizeIs(4));
    EXPECT_TRUE(evaluation.change && evaluation.latency);
    EXPECT_TRUE(!evaluation.designed || evaluation.number <= kDesignedPoints);
  }
  ASSERT_THAT(result.candidates, SizeIs(1));
  EXPECT_EQ(result.candidates[0].arm, "best found");
  EXPECT_EQ(result.candidates[0].verdict, ArmVerdict::adopt);
  EXPECT_NEAR(result.candidates[0].estimates[0].change.value(), 0.26, 0.003);
  EXPECT_THAT(result.verdict, StartsWith("adopt best found: answers +26"));
  ASSERT_THAT(result.arms, SizeIs(2));
  EXPECT_EQ(result.arms[1].summary, "web: 6 CCDs, 8 ways");
  EXPECT_THAT(result.remarks, IsEmpty());
  EXPECT_EQ(host_.now, kBefore);
  EXPECT_FALSE(is_recorded());
}

TEST_F(Searching, says_so_where_nothing_keeps_the_limit) {
  slowness_of_ways_ = 1;
  const ExperimentResult result = search(searching());
  EXPECT_EQ(result.verdict, "none of the 8 combinations that were measured keeps load within 1.55");
  EXPECT_THAT(result.candidates, IsEmpty());
  EXPECT_THAT(result.search->found, IsEmpty());
  EXPECT_EQ(result.ended_by, "verdict");
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Searching, leaves_out_what_the_host_cannot_have) {
  host_.is_impossible = [](const std::string& text) {
    return text.find("\"ways\": 12") != std::string::npos;
  };
  const ExperimentResult result = search(searching());
  EXPECT_EQ(result.search->found, "6 CCDs, 8 ways");
  EXPECT_GT(result.search->left_out, 0U);
  EXPECT_THAT(result.search->evaluations, SizeIs(8));
  for (const Evaluation& evaluation : result.search->evaluations) {
    EXPECT_THAT(evaluation.point, Not(HasSubstr("12 ways")));
  }
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_THAT(result.remarks[0].text, AllOf(HasSubstr("12 ways is left out: "), HasSubstr("no way is left")));
}

TEST_F(Searching, leaves_a_combination_at_once_that_passes_a_limit) {
  const ExperimentResult result = search(searching(R"(, "limits": {"load": {"above": 1.6}})"));
  unsigned failed = 0;
  for (const Evaluation& evaluation : result.search->evaluations) {
    if (!evaluation.failed) continue;
    ++failed;
    EXPECT_THAT(evaluation.why_none, HasSubstr("above its limit of 1.6"));
    EXPECT_FALSE(evaluation.change);
    EXPECT_LT(evaluation.windows.size(), 4U);
  }
  EXPECT_GT(failed, 0U);
  EXPECT_THAT(result.limit_hits, IsEmpty());
  EXPECT_EQ(result.candidates.at(0).verdict, ArmVerdict::adopt);
}

TEST_F(Searching, ends_where_the_control_itself_passes_a_limit) {
  const ExperimentResult result = search(searching(R"(, "limits": {"load": {"above": 0.9}})"));
  EXPECT_THAT(result.verdict,
              StartsWith("nothing can be compared: the control a itself left a limit: load was 1"));
  EXPECT_THAT(result.candidates, IsEmpty());
  EXPECT_EQ(host_.now, kBefore);
}

TEST_F(Searching, a_block_without_data_costs_an_evaluation) {
  on_step = [&](const RunProgress& progress) {
    dead = progress.searches && progress.block == 2 && progress.step == RunProgress::Step::window;
    write_page();
  };
  const ExperimentResult result = search(searching());
  const Evaluation& lost = result.search->evaluations.at(1);
  EXPECT_FALSE(lost.change);
  EXPECT_FALSE(lost.failed);
  EXPECT_THAT(lost.why_none, HasSubstr("answers_total"));
  EXPECT_FALSE(result.search->found.empty());
}

// Wherever it was killed: it measures what it would have measured.
TEST_F(Searching, what_was_killed_goes_on_with_the_same_combinations) {
  const ExperimentResult whole = search(searching());
  const std::string resumable = searching(R"(, "on_restart": "resume")");
  for (const bool in_the_search : {true, false}) {
    answers_ = seconds_ = 0;
    noise_ = 1;
    on_step = [&](const RunProgress& progress) {
      if (progress.searches == in_the_search && progress.block == 2 &&
          progress.step == RunProgress::Step::window)
        throw Killed{};
    };
    EXPECT_THROW(search(resumable), Killed);
    const ExperimentResult result = go_on({});
    EXPECT_EQ(result.search->found, whole.search->found);
    ASSERT_THAT(result.search->evaluations, SizeIs(8));
    for (std::size_t number = 0; number < 8; ++number) {
      EXPECT_EQ(result.search->evaluations[number].point, whole.search->evaluations[number].point);
      EXPECT_EQ(result.search->evaluations[number].order, whole.search->evaluations[number].order);
    }
    EXPECT_EQ(result.candidates.at(0).verdict, ArmVerdict::adopt);
    EXPECT_EQ(result.arms.size(), 2U);
  }
}

TEST_F(Searching, is_told_as_it_goes) {
  unsigned blocks = 0;
  on_step = [&](const RunProgress& progress) {
    if (!progress.searches || progress.step != RunProgress::Step::block) return;
    ++blocks;
    EXPECT_EQ(progress.most_blocks, 8U);
    EXPECT_EQ(progress.candidate, "try " + std::to_string(blocks));
    EXPECT_NEAR(progress.seconds_left, (8 - blocks + 12) * 4 * 0.3, 1e-6);
  };
  search(searching());
  EXPECT_EQ(blocks, 8U);
}

TEST_F(Searching, a_template_without_room_is_told_before_anything_is_changed) {
  ExperimentInput input = search_input(searching());
  input.policies["t.json"].text = policy("t");
  Store store(folder_ + "/run");
  EXPECT_THROW(Runner(input, host_, store, seams()), Error);
  EXPECT_EQ(host_.changes, 0U);
}

}  // namespace
}  // namespace bulkhead
