// SPDX-License-Identifier: Apache-2.0
// What the engine makes of a host that has changed under a policy, on a modelled kernel.
#include <gmock/gmock.h>

#include "tests/unit/engine/engine_fixture.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using testing::EngineTest;
using ::testing::IsEmpty;
using testing::kWebHasWays;
using testing::kWebOwnsNode0;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

Machine without(Machine machine, const CpuSet& offline) {
  machine.cpus -= offline;
  for (Core& core : machine.cores)
    std::erase_if(core.cpus, [&](unsigned cpu) { return offline.contains(cpu); });
  for (Ccd& ccd : machine.ccds) ccd.cpus -= offline;
  for (Node& node : machine.nodes) node.cpus -= offline;
  for (Socket& socket : machine.sockets) socket.cpus -= offline;
  std::erase_if(machine.ccds, [](const Ccd& ccd) { return ccd.cpus.empty(); });
  return machine;
}

TEST_F(EngineTest, an_offline_cpu_is_not_taken_from_its_service) {
  const Machine whole = machine_;
  apply(kWebOwnsNode0);
  kernel_->outside().take_offline(3);
  machine_ = without(whole, {3});
  EXPECT_THAT(findings(), IsEmpty());
  kernel_->clear_log();
  EXPECT_THAT(apply(kWebOwnsNode0).steps, IsEmpty());
  EXPECT_EQ(kernel_->log_text(), "");
  EXPECT_EQ(read("/sys/fs/cgroup/web/cpuset.cpus"), "0-11\n");
  kernel_->outside().bring_online(3);
  EXPECT_EQ(read("/sys/fs/cgroup/web/cpuset.cpus.effective"), "0-11\n");
}

TEST_F(EngineTest, a_policy_that_the_host_cannot_have_any_more_is_a_finding) {
  const std::string policy = R"({"bulkhead": 1, "name": "last", "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": {"ccds": "11"}, "l3": "50%"}}})";
  apply(policy);
  EXPECT_THAT(findings(), IsEmpty());
  machine_ = without(machine_, machine_.ccds.back().cpus);
  const Verification found = verify();
  EXPECT_EQ(found.policy, "last");
  ASSERT_THAT(found.findings, SizeIs(1));
  EXPECT_EQ(found.findings[0].kind, "plan");
  EXPECT_EQ(found.findings[0].message,
            "this host cannot have it any more: policy.json:2:51: web wants CCD 11, which lab-amd-12ccd-nps2 "
            "lacks: CCD "
            "ids there are 0-10");
}

TEST_F(EngineTest, refuses_services_that_lie_in_each_other) {
  kernel_->outside().make_directory("/sys/fs/cgroup/web/inner");
  const std::string policy = R"({"bulkhead": 1, "name": "nested", "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": "all", "l3": "50%"},
    "inner": {"select": {"cgroup": "/web/inner"}, "cpus": "all", "l3": "25%"}}})";
  EXPECT_EQ(error_of([&] { apply(policy); }),
            "policy.json:3:5: cgroup /web/inner of 'inner' lies inside of /web, all of which is 'web': "
            "select cgroups that lie beside each other");
  EXPECT_EQ(kernel_->log_text(), "");
}

TEST_F(EngineTest, a_lost_state_leaves_groups_that_are_named_and_that_reset_removes) {
  apply(kWebHasWays);
  in_a_new_run([](Engine& engine) { EXPECT_THAT(engine.leftovers(), IsEmpty()); });
  std::filesystem::remove(directory_ + "/run/state.json");
  in_a_new_run([](Engine& engine) {
    EXPECT_THAT(engine.leftovers(), ElementsAre("group bulkhead.db", "group bulkhead.web"));
  });
  reset();
  in_a_new_run([](Engine& engine) { EXPECT_THAT(engine.leftovers(), IsEmpty()); });
  for (const sim::Entry& entry : kernel_->outside().list("/sys/fs/resctrl").entries) {
    EXPECT_THAT(entry.name, Not(StartsWith("bulkhead.")));
  }
}

// The policy is in force, and the next start knows it, although the journal is still there.
TEST_F(EngineTest, a_journal_that_cannot_be_removed_is_no_failure) {
  const std::string journal = directory_ + "/run/journal";
  const Outcome outcome = in_a_new_run([&](Engine& engine) {
    return engine.apply({kWebOwnsNode0, "policy.json"},
                        [&](std::size_t number, std::size_t known, const Step&) {
                          if (number != known) return;
                          std::filesystem::rename(journal, journal + ".kept");
                          std::filesystem::create_directory(journal);
                        });
  });
  EXPECT_THAT(outcome.notes,
              ElementsAre("all is done, but the journal is still there, for the next bulkhead to "
                          "remove: cannot remove (" +
                          journal + ": Is a directory)"));
  std::filesystem::remove(journal);
  std::filesystem::rename(journal + ".kept", journal);
  EXPECT_EQ(in_a_new_run([](Engine& engine) { return engine.recover(); }).has_value(), false);
  EXPECT_FALSE(has_journal());
  EXPECT_THAT(findings(), IsEmpty());
}

// There the default group lists no thread at all.
TEST_F(EngineTest, threads_are_not_taken_for_ended_where_nothing_can_be_allocated) {
  kernel_ = std::make_unique<sim::ScriptedKernel>(sim::mon_only());
  files_ = std::make_unique<testing::ModelFileSystem>(*kernel_);
  sim::KernelModel& host = kernel_->outside();
  ASSERT_EQ(host.make_directory("/sys/fs/cgroup/web"), 0);
  host.spawn({.name = "web", .executable = "/usr/bin/web", .cgroup = "/web"});
  apply(R"({"bulkhead": 1, "name": "alone", "services": {
    "web": {"select": {"cgroup": "/web"}, "cpus": {"ccds": "0"}, "exclusive_cpus": true}}})");
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(verify().now.find_service("web")->thread_groups.size(), 1U);
}

}  // namespace
}  // namespace bulkhead
