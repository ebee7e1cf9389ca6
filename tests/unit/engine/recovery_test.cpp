// SPDX-License-Identifier: Apache-2.0
// All or nothing: refused writes, and the program killed at each of them, on a modelled kernel.
#include <gmock/gmock.h>

#include "tests/unit/engine/engine_fixture.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using testing::EngineTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kWebHasWays;
using testing::kWebOwnsNode0;
using ::testing::Not;

TEST_F(EngineTest, undoes_everything_when_any_write_is_refused) {
  for (const char* policy : {kWebOwnsNode0, kWebHasWays}) {
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    apply(policy);
    const std::size_t writes = kernel_->log().size();
    ASSERT_GT(writes, 4U);
    for (std::size_t number = 1; number <= writes; ++number) {
      for (const sim::Moment moment : {sim::Moment::before, sim::Moment::after}) {
        start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
        const std::string before = now();
        kernel_->add_fault({.number = number, .error = EIO, .moment = moment});
        const std::string error = error_of([&] { apply(policy); });
        EXPECT_THAT(error, HasSubstr("Input/output error")) << number;
        EXPECT_THAT(error, HasSubstr("everything was undone, the host is as before")) << number;
        EXPECT_EQ(now(), before) << policy << " write " << number;
        EXPECT_FALSE(has_journal());
      }
    }
  }
}

TEST_F(EngineTest, comes_back_from_a_kill_at_any_write) {
  for (const char* policy : {kWebOwnsNode0, kWebHasWays}) {
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    apply(policy);
    const std::size_t writes = kernel_->log().size();
    for (std::size_t number = 1; number <= writes; ++number) {
      for (const sim::Moment moment : {sim::Moment::before, sim::Moment::after}) {
        start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
        const std::string before = now();
        kernel_->stop_at(number, moment);
        EXPECT_THROW(apply(policy), sim::Stopped);
        kernel_->resume();
        files_->release_lock("/sys/fs/resctrl");  // the kernel drops a dead program's locks
        const auto recovery = in_a_new_run([](Engine& engine) { return engine.recover(); });
        ASSERT_TRUE(recovery);
        EXPECT_THAT(recovery->action, HasSubstr("apply of web-"));
        EXPECT_EQ(now(), before) << policy << " write " << number;
        EXPECT_FALSE(has_journal());
      }
    }
  }
}

TEST_F(EngineTest, comes_back_to_the_old_policy_from_a_kill_on_the_way_to_a_new_one) {
  apply(kWebOwnsNode0);
  kernel_->clear_log();
  apply(kWebHasWays);
  const std::size_t writes = kernel_->log().size();
  for (std::size_t number = 1; number <= writes; ++number) {
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    const std::string at_first = now();
    apply(kWebOwnsNode0);
    kernel_->clear_log();
    kernel_->stop_at(number, sim::Moment::after);
    EXPECT_THROW(apply(kWebHasWays), sim::Stopped);
    kernel_->resume();
    files_->release_lock("/sys/fs/resctrl");
    in_a_new_run([](Engine& engine) { return engine.recover(); });
    EXPECT_THAT(findings(), IsEmpty()) << number;
    EXPECT_EQ(verify().policy, "web-node-0");
    reset();
    EXPECT_EQ(now(), at_first) << number;
  }
}

TEST_F(EngineTest, comes_back_from_a_kill_during_reset) {
  apply(kWebHasWays);
  kernel_->clear_log();
  reset();
  const std::size_t writes = kernel_->log().size();
  for (std::size_t number = 1; number <= writes; ++number) {
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    const std::string at_first = now();
    apply(kWebHasWays);
    kernel_->clear_log();
    kernel_->stop_at(number, sim::Moment::after);
    EXPECT_THROW(reset(), sim::Stopped);
    kernel_->resume();
    files_->release_lock("/sys/fs/resctrl");
    in_a_new_run([](Engine& engine) { return engine.recover(); });
    EXPECT_THAT(findings(), IsEmpty()) << number;
    reset();
    EXPECT_EQ(now(), at_first) << number;
  }
}

TEST_F(EngineTest, carries_the_kernels_own_words) {
  kernel_->add_fault(
      {.path = "/sys/fs/resctrl/bulkhead.web/schemata", .error = EINVAL, .status = "Mask out of range"});
  EXPECT_THAT(
      error_of([&] { apply(kWebHasWays); }),
      HasSubstr(
          "(/sys/fs/resctrl/bulkhead.web/schemata: Invalid argument; the kernel says: Mask out of range)"));
}

TEST_F(EngineTest, keeps_the_journal_when_even_the_undo_fails) {
  kernel_->add_fault({.path = "/sys/fs/resctrl/bulkhead.web/tasks", .error = EIO});
  kernel_->add_fault(
      {.operation = sim::Operation::remove_directory, .path = "*bulkhead.web", .error = EBUSY});
  const std::string before = now();
  EXPECT_THAT(error_of([&] { apply(kWebHasWays); }), HasSubstr("the journal is kept"));
  EXPECT_TRUE(has_journal());
  in_a_new_run([](Engine& engine) { return engine.recover(); });
  EXPECT_EQ(now(), before);
}

TEST_F(EngineTest, undoes_an_invalid_partition) {
  const std::string before = now();
  const std::string policy = R"({"bulkhead": 1, "name": "partition", "services": {
    "db": {"select": {"cgroup": "/system/db"}, "cpus": {"ccds": "0"}, "exclusive_cpus": true, "partition": "root"}}})";
  EXPECT_THAT(
      error_of([&] { apply(policy); }),
      HasSubstr(
          "calls it invalid (/sys/fs/cgroup/system/db/cpuset.cpus.partition; the kernel says: Parent is "
          "not a partition root)"));
  EXPECT_EQ(now(), before);
}

}  // namespace
}  // namespace bulkhead
