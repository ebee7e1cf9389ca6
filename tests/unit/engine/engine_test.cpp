// SPDX-License-Identifier: Apache-2.0
// The rules of applying, on a modelled kernel.
#include <gmock/gmock.h>

#include "controller/engine/leftovers.h"
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

TEST_F(EngineTest, applies_verifies_and_goes_back_to_the_byte) {
  const std::string before = now();
  for (const char* policy : {kWebOwnsNode0, kWebHasWays}) {
    const Outcome outcome = apply(policy);
    EXPECT_THAT(outcome.steps, Not(IsEmpty()));
    EXPECT_THAT(findings(), IsEmpty());
    EXPECT_NE(now(), before);
    reset();
    EXPECT_EQ(now(), before);
  }
}

TEST_F(EngineTest, second_apply_writes_nothing) {
  for (const char* policy : {kWebOwnsNode0, kWebHasWays}) {
    apply(policy);
    kernel_->clear_log();
    const Outcome again = apply(policy);
    EXPECT_THAT(again.steps, IsEmpty());
    EXPECT_EQ(kernel_->log_text(), "");
    EXPECT_THAT(findings(), IsEmpty());
    EXPECT_EQ(kernel_->log_text(), "");
  }
}

TEST_F(EngineTest, goes_from_policy_to_policy_and_still_back_to_the_start) {
  const std::string before = now();
  apply(kWebOwnsNode0);
  apply(kWebHasWays);
  EXPECT_THAT(findings(), IsEmpty());
  apply(kWebOwnsNode0);
  EXPECT_THAT(findings(), IsEmpty());
  reset();
  EXPECT_EQ(now(), before);
}

TEST_F(EngineTest, leaves_foreign_groups_alone) {
  const std::string before = read("/sys/fs/resctrl/theirs/schemata") + read("/sys/fs/resctrl/theirs/tasks");
  apply(kWebHasWays);
  EXPECT_EQ(read("/sys/fs/resctrl/theirs/schemata") + read("/sys/fs/resctrl/theirs/tasks"), before);
  for (const sim::LoggedOperation& operation : kernel_->log()) {
    EXPECT_THAT(operation.path, Not(HasSubstr("theirs")));
    EXPECT_THAT(operation.path, Not(HasSubstr("watch")));
  }
}

TEST_F(EngineTest, writes_once_to_each_group) {
  apply(kWebHasWays);
  std::map<std::string, int> writes;
  for (const sim::LoggedOperation& operation : kernel_->log()) {
    if (operation.path.ends_with("/schemata") || operation.path.ends_with("/cpus_list"))
      ++writes[operation.path];
  }
  for (const auto& [path, count] : writes) EXPECT_EQ(count, 1) << path;
  EXPECT_EQ(writes.size(), 3U);  // web, db and the default group
}

// A group that is written to is read once more afterwards; what cannot have changed is not.
TEST_F(EngineTest, reads_each_group_once_and_again_only_what_it_wrote) {
  apply(kWebHasWays);
  kernel_->outside().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:5=1\n");
  kernel_->clear_log();
  apply(kWebHasWays);
  const std::map<std::string, unsigned>& reads = kernel_->reads();
  EXPECT_EQ(reads.at("/sys/fs/resctrl/bulkhead.web/schemata"), 2U);
  for (const char* group : {"", "bulkhead.db/", "theirs/"}) {
    EXPECT_EQ(reads.at(std::string("/sys/fs/resctrl/") + group + "schemata"), 1U) << group;
    EXPECT_EQ(reads.at(std::string("/sys/fs/resctrl/") + group + "cpus_list"), 1U) << group;
  }
}

TEST_F(EngineTest, names_only_the_domain_that_changed) {
  apply(kWebHasWays);
  kernel_->outside().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:5=1\n");
  EXPECT_THAT(findings(), ElementsAre("L3 mask of group bulkhead.web on CCD 5: expected fff, found 1"));
  kernel_->clear_log();
  apply(kWebHasWays);
  EXPECT_EQ(kernel_->log_text(), "write /sys/fs/resctrl/bulkhead.web/schemata L3:5=fff -> ok\n");
}

TEST_F(EngineTest, moves_threads_that_are_made_meanwhile) {
  for (std::size_t number = 1; number <= 8; ++number) {
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    kernel_->before(number, [&](sim::KernelModel& host) {
      host.spawn_thread(web_);
      const unsigned child = host.fork(web_);
      host.spawn_thread(child);
    });
    apply(kWebHasWays);
    EXPECT_THAT(findings(), IsEmpty()) << number;
  }
}

TEST_F(EngineTest, passes_over_threads_that_end_meanwhile) {
  for (std::size_t number = 1; number <= 8; ++number) {
    start(sim::amd_12ccd(), "lab-amd-12ccd-nps2");
    kernel_->before(number, [&](sim::KernelModel& host) { host.end(db_); });
    apply(kWebHasWays);
    EXPECT_THAT(findings(), IsEmpty()) << number;
  }
}

TEST_F(EngineTest, waits_for_services_that_are_not_there) {
  const std::string policy = R"({"bulkhead": 1, "name": "later", "services": {
    "late": {"select": {"cgroup": "/late"}, "cpus": "all", "l3": "50%"}}})";
  EXPECT_THAT(apply(policy).waiting, ElementsAre("late"));
  EXPECT_THAT(verify().waiting, ElementsAre("late"));
  kernel_->outside().make_directory(cgroup_mount_ + "/late");
  const unsigned late = kernel_->outside().spawn({.name = "late", .cgroup = "/late"});
  EXPECT_THAT(findings(),
              ElementsAre("thread " + std::to_string(late) +
                          " of late in the wrong group: expected group bulkhead.late, found the default "
                          "group"));
  EXPECT_THAT(apply(policy).waiting, IsEmpty());
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(EngineTest, refuses_threads_of_foreign_groups_before_anything_is_written) {
  kernel_->outside().write("/sys/fs/resctrl/theirs/tasks", std::to_string(db_));
  EXPECT_THAT(error_of([&] { apply(kWebHasWays); }),
              HasSubstr("is in resctrl group 'theirs', which is not ours"));
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(EngineTest, restores_after_hotplug) {
  const std::string before = now();
  apply(kWebOwnsNode0);
  kernel_->outside().take_offline(3);
  kernel_->outside().bring_online(3);
  EXPECT_THAT(findings(),
              ElementsAre(HasSubstr("group bulkhead.web has other CPUs: expected 0-11, found 0-2,4-11")));
  apply(kWebOwnsNode0);
  EXPECT_THAT(findings(), IsEmpty());
  reset();
  EXPECT_EQ(now(), before);
}

TEST_F(EngineTest, waits_for_nobody_who_holds_the_lock) {
  files_->hold_lock("/sys/fs/resctrl");
  EXPECT_THAT(error_of([&] { apply(kWebHasWays); }),
              HasSubstr("another program holds the lock, after 10000 ms still: let it finish, or end it"));
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(EngineTest, says_where_a_policy_is_infeasible) {
  const std::string policy = R"({"bulkhead": 1, "name": "much", "services": {
    "web": {"select": {"cgroup": "/web"},
            "cpus": {"count": {"ccds": 13}}, "exclusive_cpus": true}}})";
  EXPECT_THAT(error_of([&] { apply(policy); }), ::testing::StartsWith("policy.json:3:21: "));
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(EngineTest, does_nothing_where_there_is_nothing_to_reset) {
  EXPECT_THAT(reset().steps, IsEmpty());
  EXPECT_EQ(kernel_->log_text(), "");
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/run/state.json"));
  EXPECT_EQ(error_of([&] { verify(); }), "no policy is in force: apply one first");
}

TEST_F(EngineTest, removes_what_a_lost_state_left_behind) {
  const std::string before = now();
  apply(kWebHasWays);
  std::filesystem::remove_all(directory_ + "/run");
  EXPECT_THAT(reset().notes, ElementsAre(kBaselineLost));
  EXPECT_EQ(read("/proc/" + std::to_string(web_) + "/cpu_resctrl_groups"), "res:/\nmon:\n");
  EXPECT_THAT(now(), Not(HasSubstr("/bulkhead.")));
}

// Who applies again has what was in force for a baseline, which a reset must not call "as before".
TEST_F(EngineTest, says_that_what_was_before_is_lost_where_the_state_is) {
  apply(kWebOwnsNode0);
  std::filesystem::remove_all(directory_ + "/run");
  EXPECT_THAT(apply(kWebOwnsNode0).notes, ElementsAre(kBaselineLost));
  EXPECT_THAT(apply(kWebHasWays).notes, IsEmpty()) << "it was told";
  EXPECT_THAT(reset().notes, ElementsAre(kBaselineLost));
  EXPECT_THAT(reset().notes, IsEmpty());
}

TEST_F(EngineTest, works_with_few_closids_beside_foreign_groups) {
  start(sim::few_closids(), "lab-few-closids");  // 4: the default group, theirs, and two for us
  const std::string before = now();
  const auto policy = [](const char* name) {
    return std::string(R"({"bulkhead": 1, "name": "few", "services": {")") + name +
           R"(1": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "50%"}, ")" + name +
           R"(2": {"select": {"comm": "db"}, "cpus": "all", "l3": "25%"}}})";
  };
  apply(policy("a"));
  EXPECT_THAT(findings(), IsEmpty());
  apply(policy("b"));  // there is no room for old and new side by side
  EXPECT_THAT(findings(), IsEmpty());
  reset();
  EXPECT_EQ(now(), before);
}

TEST_F(EngineTest, gives_processes_in_the_root_a_cgroup_and_takes_it_back) {
  const std::string before = now();
  apply(kWebOwnsNode0);
  EXPECT_THAT(read(cgroup_mount_ + "/bulkhead.others/cgroup.procs"),
              HasSubstr(std::to_string(shell_) + '\n'));
  const unsigned child = kernel_->outside().fork(shell_);
  EXPECT_THAT(findings(), IsEmpty());
  reset();
  EXPECT_THAT(read(cgroup_mount_ + "/cgroup.procs"), HasSubstr(std::to_string(child) + '\n'));
  kernel_->outside().end(child);
  EXPECT_EQ(now(), before);
}

// By processes that were being moved when they forked, in the time between the last look at it and its
// removal.
TEST_F(EngineTest, takes_a_cgroup_away_into_which_somebody_forks) {
  const std::string before = now();
  apply(kWebOwnsNode0);
  unsigned child = 0;
  in_a_new_run([&](Engine& engine) {
    return engine.reset([&](std::size_t, std::size_t, const Step& step) {
      if (step.kind == StepKind::remove_cgroup)
        child = kernel_->outside().spawn({.name = "late", .cgroup = "/bulkhead.others"});
    });
  });
  ASSERT_NE(child, 0U);
  EXPECT_EQ(read("/proc/" + std::to_string(child) + "/cgroup"), "0::/\n");
  kernel_->outside().end(child);
  EXPECT_EQ(now(), before);
}

TEST_F(EngineTest, keeps_a_selected_process_of_the_root_out_of_the_cgroup_for_others) {
  const std::string before = now();
  for (const char* name : {"shell", "others"}) {
    const std::string policy =
        std::string(R"({"bulkhead": 1, "name": "root", "services": {")") + name +
        R"(": {"select": {"comm": "sh"}, "cpus": {"ccds": "2"}, "exclusive_cpus": true}}})";
    apply(policy);
    EXPECT_EQ(read("/proc/" + std::to_string(shell_) + "/cgroup"),
              "0::/bulkhead." + std::string(name) + "\n");
    EXPECT_THAT(findings(), IsEmpty()) << name;
    reset();
    EXPECT_EQ(now(), before) << name;
  }
}

TEST_F(EngineTest, empties_a_cgroup_of_ours_that_was_there_before) {
  kernel_->outside().make_directory(cgroup_mount_ + "/bulkhead.others");
  apply(kWebOwnsNode0);
  EXPECT_THAT(findings(), IsEmpty());
  reset();
  EXPECT_EQ(read("/proc/1/cgroup"), "0::/\n");
  EXPECT_THAT(now(), Not(HasSubstr("/bulkhead.")));
}

TEST_F(EngineTest, never_takes_a_cgroup_of_ours_for_a_service) {
  apply(kWebOwnsNode0);
  const std::string policy = R"({"bulkhead": 1, "name": "all", "services": {
    "all": {"select": {"cgroup": "/*"}, "cpus": {"nodes": "1"}}}})";
  apply(policy);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(now(), Not(HasSubstr("/bulkhead.others")));
}

TEST_F(EngineTest, finds_intruders) {
  apply(kWebOwnsNode0);
  kernel_->outside().make_directory(cgroup_mount_ + "/new");
  const unsigned intruder = kernel_->outside().spawn({.name = "newcomer", .cgroup = "/new"});
  EXPECT_THAT(findings(),
              ::testing::Contains("CPUs 0-11 are web's alone, but thread " + std::to_string(intruder) +
                                  " may run there: expected only threads of web, found 'newcomer'"));
  apply(kWebOwnsNode0);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(EngineTest, makes_and_dissolves_a_partition) {
  const std::string before = now();
  const std::string policy = R"({"bulkhead": 1, "name": "partition", "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": {"ccds": "0"}, "exclusive_cpus": true, "partition": "isolated"}}})";
  apply(policy);
  EXPECT_EQ(read(cgroup_mount_ + "/web/cpuset.cpus.partition"), "isolated\n");
  EXPECT_THAT(findings(), IsEmpty());
  reset();
  EXPECT_EQ(now(), before);
}

}  // namespace
}  // namespace bulkhead
