// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/host/checks.h"
#include "controller/host/counter_json.h"
#include "controller/host/gather_counters.h"
#include "tests/support/model_file_system.h"
#include "tests/support/model_perf_system.h"

namespace bulkhead {
namespace {

constexpr const char* kResctrl = "/sys/fs/resctrl";

// Turin with Linux 7 and an amd_l3.
HostFacts turin() {
  HostFacts facts;
  facts.machine.vendor = "amd";
  MonitoringInfo info{.events = {"llc_occupancy", "mbm_total_bytes", "mbm_local_bytes"},
                      .rmids = 4096,
                      .reuse_threshold = 256,
                      .assign_mode = "mbm_event",
                      .assign_modes = {"mbm_event", "default"}};
  info.counters = {{{0}, 32}, {{1}, 32}};
  info.available = {{{0}, 30}, {{1}, 28}};
  facts.counters.monitoring = info;
  facts.counters.held_rmids = 3;
  facts.counters.pmu.cores = {{"cpu", 4, {0, 1}}};
  facts.counters.pmu.service_events = {{"cycles", "0x76", 0x76}, {"dram_fills", "0x44/0x48", 0x4844}};
  facts.counters.pmu.l3 = L3Pmu{13, {0}};
  facts.counters.pmu.ccd_events = {{"l3_misses", "0x04/0x01", 0x104}};
  facts.counters.pmu.paranoid = 2;
  return facts;
}

std::string check(const HostFacts& facts) {
  Findings findings;
  check_counters(facts, findings);
  std::string text;
  for (const HostFinding& finding : findings) {
    text += std::string(to_string(finding.level)) + ": " + finding.what;
    if (!finding.remedy.empty()) text += " > " + finding.remedy;
    text += '\n';
  }
  return text;
}

const std::string kPmuLines =
    "ok: performance counters of services: cycles (0x76), dram_fills (0x44/0x48)\n"
    "ok: performance counters of CCDs (amd_l3): l3_misses (0x04/0x01)\n";
const std::string kRmidLine =
    "ok: 3 of 4096 RMIDs held by groups; one of a removed group is free again when its lines in each L3 are "
    "at "
    "most 256 bytes (max_threshold_occupancy), and while only such wait, a new group is refused with EBUSY\n";

TEST(DoctorOfCounters, says_what_counts) {
  EXPECT_EQ(check(turin()),
            kRmidLine +
                "ok: bandwidth is counted by assigned counters (mbm_event): 32 counters a CCD, 2 a group: 16 "
                "groups; 28 free\n" +
                kPmuLines);
}

TEST(DoctorOfCounters, warns_where_nothing_is_left) {
  HostFacts facts = turin();
  facts.counters.held_rmids = facts.counters.monitoring->rmids = 8;
  facts.counters.monitoring->reuse_threshold.reset();
  facts.counters.monitoring->available = {{{0}, 30}, {{1}, 1}};
  EXPECT_EQ(
      check(facts),
      "warning: 8 of 8 RMIDs held by groups > there can be no further group: remove monitoring groups that "
      "nobody needs\n"
      "warning: bandwidth is counted by assigned counters (mbm_event): 32 counters a CCD, 2 a group: 16 "
      "groups; 1 free > bandwidth of further groups reads Unassigned: remove groups, or take counters from "
      "them in their mbm_L3_assignments\n" +
          kPmuLines);
}

TEST(DoctorOfCounters, says_what_assigned_counters_take) {
  HostFacts facts = turin();
  MonitoringInfo& info = *facts.counters.monitoring;
  info.assign_mode = "default";
  info.available.clear();
  EXPECT_EQ(
      check(facts),
      kRmidLine +
          "note: counters of bandwidth are not assigned (mode default): with many groups some read "
          "Unavailable, and their counts begin anew > write mbm_event to info/L3_MON/mbm_assign_mode: 32 "
          "counters a CCD, 2 a group: 16 groups\n" +
          kPmuLines);
  info.assign_mode.clear();
  info.assign_modes.clear();
  info.counters.clear();
  EXPECT_EQ(
      check(facts),
      kRmidLine +
          "note: counters of bandwidth cannot be assigned to groups here: with many groups some read "
          "Unavailable, and their counts begin anew > it takes Linux 6.18 and a processor with ABMC, as "
          "EPYC has from Zen 5 on\n" +
          kPmuLines);
  facts.machine.vendor = "intel";
  EXPECT_EQ(check(facts), kRmidLine + kPmuLines);
}

TEST(DoctorOfCounters, says_which_events_lack_and_which_can_be_set) {
  HostFacts facts = turin();
  MonitoringInfo& info = *facts.counters.monitoring;
  info.events = {"mbm_local_bytes"};
  info.counters.clear();
  info.assign_mode.clear();
  info.configurable = {"mbm_local_bytes"};
  info.summed = true;
  facts.machine.vendor = "intel";
  EXPECT_EQ(
      check(facts),
      "note: what groups fill of the L3 is not counted: verify cannot judge by it > it takes a processor "
      "with cqm_occup_llc\n"
      "note: memory bandwidth of groups is not counted: verify cannot judge it > it takes a processor with "
      "cqm_mbm_total\n"
      "ok: what bandwidth counts can be set (BMEC): mbm_local_bytes\n"
      "note: sub-NUMA clusters are on: the kernel sums the counters of each L3 over them\n" +
          kRmidLine + kPmuLines);
}

TEST(DoctorOfCounters, says_why_performance_counters_are_lacking) {
  HostFacts facts;
  facts.counters.pmu.service_lack = "no PMU";
  facts.counters.pmu.ccd_lack = "no amd_l3";
  facts.counters.refusals = {"the kernel refuses to count: be root", "something else"};
  EXPECT_EQ(check(facts),
            "note: no PMU\n"
            "note: no amd_l3\n"
            "note: the kernel refuses to count > be root\n"
            "note: something else\n");
}

TEST(DoctorOfCounters, writes_them_as_json) {
  EXPECT_EQ(
      counters_json(turin().counters).dump(),
      R"({"events":["llc_occupancy","mbm_total_bytes","mbm_local_bytes"],)"
      R"("rmids":{"all":4096,"held":3,"reuse_threshold_bytes":256},)"
      R"("assignment":{"mode":"mbm_event","modes":["mbm_event","default"],)"
      R"("counters":{"0":32,"1":32},"available":{"0":30,"1":28}},"configurable":[],"summed":false,)"
      R"("perf":{"services":{"cycles":"0x76","dram_fills":"0x44/0x48"},"ccds":{"l3_misses":"0x04/0x01"},)"
      R"("perf_event_paranoid":2,"lacking":[]}})");
  CounterFacts none;
  none.pmu.service_lack = "no PMU";
  none.refusals = {"refused"};
  EXPECT_EQ(counters_json(none).dump(),
            R"({"events":[],"rmids":null,"assignment":null,"configurable":[],"summed":false,)"
            R"("perf":{"services":{},"ccds":{},"perf_event_paranoid":null,"lacking":["no PMU","refused"]}})");
}

class GatheredCounters : public ::testing::Test {
 protected:
  static sim::KernelShape shape() {
    sim::KernelShape shape = sim::with(sim::amd_2socket_3ccd(), sim::Generation::linux_7);
    shape.monitoring->assignable_counters = 4;
    return shape;
  }

  HostFacts facts() {
    HostFacts facts;
    facts.presence = {.state = ResctrlState::mounted, .mount_point = kResctrl};
    facts.groups = {{"bulkhead.web", true, 2}, {"p0", false, 0}};
    facts.default_monitoring = 1;
    facts.machine.cpus = {0, 1};
    return facts;
  }

  sim::ScriptedKernel kernel_{shape()};
  testing::ModelFileSystem files_{kernel_};
  testing::ModelPerfSystem perf_;
};

TEST_F(GatheredCounters, are_what_the_kernel_says) {
  kernel_.outside().make_directory(std::string(kResctrl) + "/bulkhead.web");
  const CounterFacts counters = gather_counters(files_, perf_, facts());
  MonitoringInfo expected{.events = {"llc_occupancy", "mbm_total_bytes", "mbm_local_bytes"},
                          .rmids = 256,
                          .reuse_threshold = 2048,
                          .assign_mode = "mbm_event",
                          .assign_modes = {"mbm_event", "default"}};
  for (const unsigned ccd : {0U, 1U, 2U, 4U, 5U, 6U}) {
    expected.counters[{ccd}] = 4;
    expected.available[{ccd}] = 0;
  }
  ASSERT_TRUE(counters.monitoring);
  EXPECT_EQ(*counters.monitoring, expected);
  EXPECT_EQ(counters.held_rmids, 6U);
  EXPECT_TRUE(counters.refusals.empty());
}

TEST_F(GatheredCounters, are_none_where_resctrl_is_not_mounted) {
  HostFacts other = facts();
  other.presence.state = ResctrlState::not_mounted;
  EXPECT_FALSE(gather_counters(files_, perf_, other).monitoring);
  EXPECT_EQ(gather_counters(files_, perf_, other).held_rmids, 0U);
}

TEST_F(GatheredCounters, do_not_change_the_host) {
  kernel_.clear_log();
  gather_counters(files_, perf_, facts());
  EXPECT_EQ(kernel_.log_text(), "");
}

}  // namespace
}  // namespace bulkhead
