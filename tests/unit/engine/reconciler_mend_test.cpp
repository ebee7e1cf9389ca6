// SPDX-License-Identifier: Apache-2.0
// What is mended when, and what is told of it, where more than one thing differs or somebody fights.
#include <gmock/gmock.h>

#include "tests/unit/engine/reconciling_fixture.h"

namespace bulkhead {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kWebHasWays;
using testing::kWebOwnsNode0;
using testing::Reconciling;
using ::testing::SizeIs;

TEST(ReconcilingBackoff, who_fights_is_not_fought_at_full_speed) {
  Backoff backoff;
  Backoff::Time now{seconds(1000)};
  std::vector<long> repairs_at;
  for (long second = 0; second < 1500; ++second, now += seconds(1)) {
    if (!backoff.may_repair(now)) continue;
    backoff.tried(now);
    repairs_at.push_back(second);
  }
  EXPECT_THAT(repairs_at, ElementsAre(0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 812, 1112, 1412));
  now = *backoff.next() + Backoff::kQuiet;
  EXPECT_TRUE(backoff.may_repair(now));
  backoff.tried(now);
  EXPECT_EQ(backoff.strikes(), 0U) << "after a quiet time a repair is free again";
}

TEST_F(Reconciling, what_differs_for_the_first_time_is_mended_at_once_whatever_else_is_fought_over) {
  apply(kWebHasWays);
  look(repairing_);
  for (int round = 0; round < 3; ++round) {
    widen();
    look(repairing_);
  }
  host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:5=f\n");  // another CCD of the same group
  host().write("/sys/fs/resctrl/tasks", std::to_string(db_) + '\n');
  const Look mended = look(repairing_);
  EXPECT_THAT(texts(mended.repaired),
              ElementsAre("bulkhead.web: schemata L3:5=fff (was L3:5=f)", "bulkhead.db: move in 1 thread"));
  EXPECT_THAT(texts(mended.found.findings),
              ElementsAre("L3 mask of group bulkhead.web on CCD 3: expected fff, found ff"));
  EXPECT_EQ(mended.again, now_ + seconds(1));
  now_ += seconds(1);
  EXPECT_THAT(texts(look(repairing_).repaired), ElementsAre("bulkhead.web: schemata L3:3=fff (was L3:3=ff)"));
}

TEST_F(Reconciling, six_things_that_somebody_changes_one_after_the_other_are_each_mended_at_once) {
  apply(kWebHasWays);
  look(repairing_);
  for (int ccd = 0; ccd < 6; ++ccd) {
    host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:" + std::to_string(ccd) + "=1\n");
    EXPECT_THAT(look(repairing_).repaired, SizeIs(1)) << ccd;
    now_ += seconds(2);
  }
}

TEST_F(Reconciling, a_repair_that_waits_is_told_once_until_the_fight_is_over) {
  apply(kWebHasWays);
  look(repairing_);
  using Paused = std::map<std::string, seconds>;
  const auto fight = [&] {
    std::vector<Paused> told;
    for (int round = 0; round < 4; ++round) {
      widen();
      told.push_back(look(repairing_).paused);
    }
    return told;
  };
  const Paused once{{"L3 of group bulkhead.web on CCD 3", seconds(1)}};
  EXPECT_THAT(fight(), ElementsAre(Paused{}, Paused{}, once, Paused{}));
  now_ += seconds(200);
  look(repairing_);
  now_ += seconds(200);
  EXPECT_THAT(fight(), ElementsAre(Paused{}, Paused{}, once, Paused{}));
}

TEST_F(Reconciling, what_comes_while_something_is_mended_is_told_before_it_is_mended) {
  apply(kWebHasWays);
  look(repairing_);
  widen();
  kernel_->clear_log();
  kernel_->before(
      1, [](sim::KernelModel& host) { host.write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:5=f\n"); });
  const Look first = look(repairing_);
  EXPECT_THAT(texts(first.drift),
              ElementsAre("L3 mask of group bulkhead.web on CCD 3: expected fff, found ff",
                          "L3 mask of group bulkhead.web on CCD 5: expected fff, found f"));
  EXPECT_THAT(texts(first.repaired), ElementsAre("bulkhead.web: schemata L3:3=fff (was L3:3=ff)"));
  EXPECT_THAT(first.left, IsEmpty());
  EXPECT_EQ(first.again, now_);
  const Look second = look(repairing_);
  EXPECT_THAT(second.drift, IsEmpty()) << "told once";
  EXPECT_THAT(texts(second.repaired), ElementsAre("bulkhead.web: schemata L3:5=fff (was L3:5=f)"));
  EXPECT_THAT(second.found.findings, IsEmpty());
}

TEST_F(Reconciling, what_no_repair_can_mend_is_told_as_left_once_while_it_stays) {
  apply(kWebOwnsNode0);
  look(repairing_);
  host().make_directory("/sys/fs/cgroup/pinned");
  host().write("/sys/fs/cgroup/pinned/cpuset.cpus", "0-3\n");
  host().spawn({.name = "sleep", .executable = "/bin/sleep", .cgroup = "/pinned"});
  std::vector<std::size_t> left;
  for (int round = 0; round < 3; ++round, now_ += seconds(30)) left.push_back(look(repairing_).left.size());
  EXPECT_THAT(left, ElementsAre(1, 0, 0));
}

TEST_F(Reconciling, while_a_fight_waits_new_threads_do_not) {
  apply(kWebHasWays);
  look(repairing_);
  for (int round = 0; round < 4; ++round) {
    widen();
    look(repairing_);
  }
  host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  const Look each = look(repairing_);
  EXPECT_THAT(texts(each.followed), ElementsAre("bulkhead.web: move in 1 thread"));
  EXPECT_THAT(each.repaired, IsEmpty());
  EXPECT_TRUE(each.again);
}

TEST_F(Reconciling, a_repair_that_fails_is_told_once_and_tried_less_and_less_often) {
  apply(kWebHasWays);
  look(repairing_);
  widen();
  kernel_->add_fault(
      {.operation = sim::Operation::write, .path = "*/bulkhead.web/schemata", .error = EIO, .always = true});
  const Look failed = look(repairing_);
  ASSERT_TRUE(failed.failure);
  EXPECT_EQ(failed.failure->detail().error_number, EIO);
  EXPECT_EQ(failed.drift.size(), 1U);
  now_ += seconds(1);
  const Look again = look(repairing_);
  EXPECT_FALSE(again.failure) << "the same failure is no news";
  EXPECT_TRUE(again.again);
  kernel_->clear_script();
  now_ += seconds(10);
  EXPECT_EQ(look(repairing_).repaired.size(), 1U);
}

TEST_F(Reconciling, who_moves_threads_again_and_again_is_not_fought_at_full_speed) {
  apply(kWebHasWays);
  look(repairing_);
  std::vector<std::size_t> moved;
  for (int round = 0; round < 3; ++round) {
    host().write("/sys/fs/resctrl/tasks", std::to_string(web_) + '\n');
    const Look mended = look(repairing_);
    EXPECT_THAT(mended.followed, IsEmpty());
    moved.push_back(mended.repaired.size());
  }
  EXPECT_THAT(moved, ElementsAre(1, 1, 0)) << "the third one has to wait";
}

}  // namespace
}  // namespace bulkhead
