// SPDX-License-Identifier: Apache-2.0
// Drift by every hand that can cause it, on a modelled host, and what is told and done about it.
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

constexpr const char* kWebOrLater = R"({
  "bulkhead": 1, "name": "web-or-later",
  "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "75%"},
    "later": {"select": {"cgroup": "/later"}, "cpus": "all", "l3": {"ways": 2}}
  }
})";

TEST_F(Reconciling, a_host_as_planned_is_left_alone) {
  apply(kWebHasWays);
  look(repairing_);
  kernel_->clear_log();
  const Look again = look(repairing_);
  EXPECT_THAT(again.drift, IsEmpty());
  EXPECT_THAT(again.repaired, IsEmpty());
  EXPECT_FALSE(again.again);
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(Reconciling, what_somebody_changed_is_told_and_mended) {
  apply(kWebHasWays);
  const std::string applied = now();
  look(repairing_);
  widen();
  const Look mended = look(repairing_);
  EXPECT_THAT(texts(mended.drift),
              ElementsAre("L3 mask of group bulkhead.web on CCD 3: expected fff, found ff"));
  EXPECT_THAT(texts(mended.repaired), ElementsAre("bulkhead.web: schemata L3:3=fff (was L3:3=ff)"));
  EXPECT_THAT(mended.found.findings, IsEmpty());
  EXPECT_THAT(mended.left, IsEmpty());
  EXPECT_EQ(now(), applied);
}

TEST_F(Reconciling, where_drift_is_only_reported_it_is_told_once_and_stays) {
  apply(kWebHasWays);
  look(reporting_);
  widen();
  const std::string drifted = now();
  EXPECT_EQ(look(reporting_).drift.size(), 1U);
  const Look again = look(reporting_);
  EXPECT_THAT(again.drift, IsEmpty());
  EXPECT_EQ(again.found.findings.size(), 1U);
  EXPECT_FALSE(again.again);
  EXPECT_EQ(now(), drifted);
  widen("fff");
  EXPECT_THAT(look(reporting_).found.findings, IsEmpty());
  widen();
  EXPECT_EQ(look(reporting_).drift.size(), 1U) << "it is news again";
}

TEST_F(Reconciling, drift_that_was_told_is_not_told_again_after_a_hotplug) {
  apply(kWebOwnsNode0);
  look(reporting_);
  host().write("/sys/fs/resctrl/bulkhead.web/cpus_list", "0-10\n");
  EXPECT_THAT(look(reporting_).drift, SizeIs(1));
  reporting_.host_changed(now_);
  EXPECT_THAT(look(reporting_).drift, IsEmpty());
  now_ += 2 * Reconciler::kHotplugSettles;
  EXPECT_THAT(look(reporting_).drift, IsEmpty());
}

TEST_F(Reconciling, drift_that_comes_back_is_told_again_beside_drift_that_lasts) {
  apply(kWebHasWays);
  look(reporting_);
  host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:5=1\n");
  widen();
  EXPECT_EQ(look(reporting_).drift.size(), 2U);
  widen("fff");
  EXPECT_THAT(look(reporting_).drift, IsEmpty());
  widen();
  EXPECT_THAT(texts(look(reporting_).drift),
              ElementsAre("L3 mask of group bulkhead.web on CCD 3: expected fff, found ff"));
}

TEST_F(Reconciling, services_come_and_go) {
  apply(kWebOrLater);
  EXPECT_THAT(look(repairing_).appeared, IsEmpty()) << "what was so at first is no news";
  host().make_directory(cgroup_mount_ + "/later");
  const unsigned process =
      host().spawn({.name = "later", .executable = "/usr/bin/later", .cgroup = "/later"});
  const Look came = look(repairing_);
  EXPECT_THAT(came.appeared, ElementsAre("later"));
  EXPECT_THAT(came.drift, IsEmpty());
  EXPECT_THAT(texts(came.followed), ElementsAre("bulkhead.later: move in 1 thread"));
  host().end(process);
  host().remove_directory(cgroup_mount_ + "/later");
  const Look went = look(repairing_);
  EXPECT_THAT(went.vanished, ElementsAre("later"));
  EXPECT_THAT(went.drift, IsEmpty());
  EXPECT_THAT(went.found.findings, IsEmpty());
}

TEST_F(Reconciling, groups_that_somebody_changed_are_not_mended_unnoticed_while_a_service_is_followed) {
  apply(kWebOrLater);
  look(repairing_);
  host().make_directory(cgroup_mount_ + "/later");
  host().spawn({.name = "later", .executable = "/usr/bin/later", .cgroup = "/later"});
  host().write("/sys/fs/resctrl/bulkhead.web/schemata", "L3:3=f\n");
  const auto follow = [](Engine& engine) { return engine.repair(Repair::services).steps; };
  EXPECT_THAT(texts(in_a_new_run(follow)), ElementsAre("bulkhead.later: move in 1 thread"));
  EXPECT_THAT(texts(look(repairing_).drift),
              ElementsAre("L3 mask of group bulkhead.web on CCD 3: expected fff, found f"));
}

TEST_F(Reconciling, a_restarted_service_is_followed) {
  apply(kWebOwnsNode0);
  look(repairing_);
  host().end(web_);
  host().remove_directory(cgroup_mount_ + "/web");
  look(repairing_);
  host().make_directory(cgroup_mount_ + "/web");
  host().spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  const Look back = look(repairing_);
  EXPECT_THAT(back.appeared, ElementsAre("web"));
  EXPECT_THAT(back.drift, IsEmpty());
  EXPECT_THAT(back.found.findings, IsEmpty());
}

TEST_F(Reconciling, what_this_host_cannot_have_is_told_and_mended_soon_after_it_can) {
  apply(kWebOrLater);
  look(repairing_);
  const Machine whole = machine_;
  machine_.cpus.erase(0);
  machine_.ccds.clear();
  machine_.cores.clear();
  widen();
  const Look found = look(repairing_);
  ASSERT_EQ(found.drift.size(), 1U);
  EXPECT_EQ(found.drift[0].kind, "plan");
  EXPECT_THAT(found.appeared, IsEmpty());
  EXPECT_THAT(found.repaired, IsEmpty());
  EXPECT_FALSE(found.failure) << "nothing was tried";
  EXPECT_EQ(found.again, now_ + Reconciler::kUntilItCanBeHad);
  for (int count = 0; count < 100; ++count) {  // however long it lasts
    now_ += Reconciler::kUntilItCanBeHad;
    EXPECT_THAT(look(repairing_).drift, IsEmpty()) << "told once";
  }
  machine_ = whole;
  now_ += Reconciler::kUntilItCanBeHad;
  const Look mended = look(repairing_);
  EXPECT_THAT(mended.appeared, IsEmpty());
  EXPECT_THAT(mended.vanished, IsEmpty());
  EXPECT_THAT(texts(mended.repaired), ElementsAre("bulkhead.web: schemata L3:3=fff (was L3:3=ff)"));
}

// The kernel takes a CPU that comes back into the default group, and its cpusets follow when they can.
TEST_F(Reconciling, what_a_hotplug_changed_is_mended_without_a_word) {
  apply(kWebOwnsNode0);
  look(repairing_);
  host().take_offline(3);
  host().bring_online(3);
  repairing_.host_changed(now_);
  const Look found = look(repairing_);
  EXPECT_THAT(texts(found.followed), ElementsAre("bulkhead.web: CPUs 0-11 (was 0-2,4-11)"));
  EXPECT_THAT(found.drift, IsEmpty());
  EXPECT_THAT(found.repaired, IsEmpty());
  EXPECT_THAT(found.found.findings, IsEmpty());
  EXPECT_FALSE(found.again);
  widen();  // somebody's hand all the same
  const Look drifted = look(repairing_);
  EXPECT_THAT(drifted.drift, SizeIs(1));
  EXPECT_THAT(drifted.repaired, SizeIs(1)) << "and it is the first strike";
}

TEST_F(Reconciling, what_a_whole_ccd_lost_by_a_hotplug_is_mended_without_a_word) {
  apply(R"({"bulkhead": 1, "name": "capped", "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "75%", "bandwidth": "16GB/s"}}})");
  look(repairing_);
  for (unsigned cpu : {4U, 5U, 6U, 7U}) host().take_offline(cpu);
  for (unsigned cpu : {4U, 5U, 6U, 7U}) host().bring_online(cpu);
  repairing_.host_changed(now_);
  const Look found = look(repairing_);
  EXPECT_THAT(texts(found.followed),
              ElementsAre("bulkhead.web: schemata L3:2=fff;3=fff MB:2=128;3=128 (was L3:2=ffff;3=ffff "
                          "MB:2=2048;3=2048)"));
  EXPECT_THAT(texts(found.drift), IsEmpty());
  EXPECT_THAT(found.found.findings, IsEmpty());
}

TEST_F(Reconciling, a_host_that_is_not_the_same_any_more_is_looked_at_again_before_anything_is_said) {
  apply(kWebOwnsNode0);
  look(repairing_);
  widen();
  kernel_->clear_log();
  const Look found =
      in_a_new_run([&](Engine& engine) { return repairing_.look(engine, now_, [] { return false; }); });
  EXPECT_EQ(found.again, now_);
  EXPECT_THAT(found.drift, IsEmpty());
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(Reconciling, a_host_without_a_policy_has_nothing_to_be_kept) {
  EXPECT_EQ(error_of([&] { look(repairing_); }), "no policy is in force: apply one first");
}
}  // namespace
}  // namespace bulkhead
