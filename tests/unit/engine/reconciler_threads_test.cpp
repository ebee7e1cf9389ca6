// SPDX-License-Identifier: Apache-2.0
// Threads that are new, and threads that somebody moved: which are followed, told, and told once.
#include <gmock/gmock.h>

#include "tests/unit/engine/reconciling_fixture.h"

namespace bulkhead {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kWebHasWays;
using testing::Reconciling;
using ::testing::SizeIs;

TEST_F(Reconciling, new_threads_are_no_drift_even_where_drift_is_only_reported) {
  apply(kWebHasWays);
  look(reporting_);
  const unsigned fresh = host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  const Look followed = look(reporting_);
  EXPECT_THAT(followed.drift, IsEmpty());
  EXPECT_THAT(texts(followed.followed), ElementsAre("bulkhead.web: move in 1 thread"));
  EXPECT_THAT(followed.found.findings, IsEmpty());
  EXPECT_NE(read("/sys/fs/resctrl/bulkhead.web/tasks").find(std::to_string(fresh) + '\n'), std::string::npos);
}

TEST_F(Reconciling, a_thread_that_was_in_its_group_and_is_not_any_more_is_drift) {
  apply(kWebHasWays);
  look(repairing_);
  host().write("/sys/fs/resctrl/tasks", std::to_string(web_) + '\n');
  const Look mended = look(repairing_);
  EXPECT_EQ(mended.drift.size(), 1U);
  EXPECT_THAT(texts(mended.repaired), ElementsAre("bulkhead.web: move in 1 thread"));
}

TEST_F(Reconciling, threads_that_somebody_moved_stay_where_drift_is_only_reported_and_new_ones_are_followed) {
  apply(kWebHasWays);
  look(reporting_);
  host().write("/sys/fs/resctrl/tasks", std::to_string(web_) + '\n');
  EXPECT_EQ(look(reporting_).drift.size(), 1U);
  const Look again = look(reporting_);
  EXPECT_THAT(again.drift, IsEmpty());
  EXPECT_THAT(again.followed, IsEmpty());
  const unsigned fresh = host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  EXPECT_THAT(texts(look(reporting_).followed), ElementsAre("bulkhead.web: move in 1 thread"));
  const std::string group = read("/sys/fs/resctrl/bulkhead.web/tasks");
  EXPECT_NE(group.find(std::to_string(fresh) + '\n'), std::string::npos);
  EXPECT_EQ(group.find(std::to_string(web_) + '\n'), std::string::npos);
}

TEST_F(Reconciling, of_threads_that_somebody_moved_each_is_told_once) {
  apply(kWebHasWays);
  const unsigned second = host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  look(reporting_);
  for (const unsigned moved : {web_, second}) {
    host().write("/sys/fs/resctrl/tasks", std::to_string(moved) + '\n');
  }
  EXPECT_THAT(
      texts(look(reporting_).drift),
      ElementsAre("threads " + std::to_string(web_) + ", " + std::to_string(second) +
                  " of web in the wrong group: expected group bulkhead.web, found the default group"));
  host().end(second);
  EXPECT_THAT(look(reporting_).drift, IsEmpty()) << "a shorter list of the same";
  const unsigned third = host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  look(reporting_);
  host().write("/sys/fs/resctrl/tasks", std::to_string(third) + '\n');
  EXPECT_THAT(look(reporting_).drift, SizeIs(1)) << "one more";
}

TEST_F(Reconciling, new_threads_are_not_told_with_the_drift_that_there_is) {
  apply(kWebHasWays);
  look(reporting_);
  widen();
  host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  const Look both = look(reporting_);
  EXPECT_THAT(texts(both.drift),
              ElementsAre("L3 mask of group bulkhead.web on CCD 3: expected fff, found ff"));
  EXPECT_THAT(texts(both.followed), ElementsAre("bulkhead.web: move in 1 thread"));
}

TEST_F(Reconciling, threads_are_not_followed_into_a_group_that_is_gone) {
  apply(kWebHasWays);
  look(repairing_);
  for (int fights = 0; fights < 2; ++fights) {
    host().remove_directory("/sys/fs/resctrl/bulkhead.web");
    look(repairing_);
  }
  host().remove_directory("/sys/fs/resctrl/bulkhead.web");
  const Look waiting = look(repairing_);  // somebody fights: the group is not made again at once
  EXPECT_THAT(waiting.followed, IsEmpty());
  EXPECT_FALSE(waiting.failure);
  EXPECT_TRUE(waiting.again);
}

// No event tells of them again.
TEST_F(Reconciling, threads_that_could_not_be_followed_are_tried_again) {
  apply(kWebHasWays);
  look(repairing_);
  host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  kernel_->add_fault(
      {.operation = sim::Operation::write, .path = "*/bulkhead.web/tasks", .error = EIO, .always = true});
  const Look failed = look(repairing_);
  EXPECT_TRUE(failed.failure);
  EXPECT_EQ(failed.again, now_) << "at once";
  const Look again = look(repairing_);
  EXPECT_FALSE(again.failure) << "the same failure is no news";
  EXPECT_EQ(again.again, now_ + seconds(1)) << "and then less and less often";
  kernel_->clear_script();
  now_ += seconds(1);
  const Look followed = look(repairing_);
  EXPECT_THAT(texts(followed.followed), ElementsAre("bulkhead.web: move in 1 thread"));
  EXPECT_FALSE(followed.again);
}

}  // namespace
}  // namespace bulkhead
