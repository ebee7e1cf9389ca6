// SPDX-License-Identifier: Apache-2.0
#include "controller/host/doctor.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace bulkhead {
namespace {

// An EPYC where nothing is to be said.
HostFacts healthy() {
  HostFacts facts;
  facts.kernel = "6.1.0";
  facts.presence = {.state = ResctrlState::mounted, .mount_point = "/r"};
  facts.machine.model = "EPYC";
  facts.machine.cpus = CpuSet::range(0, 3);
  facts.machine.sockets = {{.id = {0}, .cpus = facts.machine.cpus}};
  facts.machine.nodes = {{.id = {0}, .cpus = facts.machine.cpus}};
  facts.machine.ccds = {{.id = {0}, .cpus = {0, 1}, .nodes = {0}}, {.id = {4}, .cpus = {2, 3}, .nodes = {0}}};
  facts.capabilities.resctrl = true;
  facts.capabilities.l3 = CacheCapability{.closids = 16, .full = {0xffff}, .sparse = true};
  facts.capabilities.memory =
      BandwidthCapability{.closids = 16, .unit = BandwidthUnit::eighth_gb, .unlimited = 2048};
  facts.capabilities.monitoring = MonitoringCapability{.rmids = 256, .events = {"llc_occupancy"}};
  facts.capabilities.domains = {{0}, {4}};
  facts.hierarchy = {.version = CgroupVersion::v2, .mount_point = "/c"};
  facts.cpuset_enabled = true;
  facts.systemd = true;
  return facts;
}

std::string text_of(const std::vector<HostFinding>& findings) {
  std::string text;
  for (const HostFinding& finding : findings) {
    text += std::string(to_string(finding.level)) + ": " + finding.what;
    if (!finding.remedy.empty()) text += " > " + finding.remedy;
    text += '\n';
  }
  return text;
}

// What is found beyond, or instead of, what is found on a healthy host.
std::string news(const HostFacts& facts) {
  const std::vector<HostFinding> usual = examine(healthy());
  std::vector<HostFinding> findings = examine(facts);
  std::erase_if(findings, [&](const HostFinding& finding) {
    return std::find(usual.begin(), usual.end(), finding) != usual.end();
  });
  return text_of(findings);
}

TEST(Doctor, finds_a_healthy_host_healthy) {
  const std::vector<HostFinding> findings = examine(healthy());
  EXPECT_TRUE(can_apply(findings));
  EXPECT_EQ(text_of(findings),
            "ok: Linux 6.1.0\n"
            "ok: 1 socket, 1 node, 2 CCDs, 4 CPUs: EPYC\n"
            "ok: resctrl is mounted on /r\n"
            "ok: L3: 16 ways, masks may have gaps\n"
            "ok: memory bandwidth: in steps of 1/8 GB/s, unlimited is 2048\n"
            "ok: counters: llc_occupancy; 256 RMIDs\n"
            "ok: 16 CLOSIDs: the default group; 15 free\n"
            "ok: cgroup v2 with cpuset on /c\n"
            "ok: systemd owns the cgroup tree: CPUs of units are set through it\n");
}

TEST(Doctor, gives_the_remedy_of_a_resctrl_that_is_not_there) {
  HostFacts facts = healthy();
  facts.presence = {.state = ResctrlState::not_mounted, .explanation = "resctrl is not mounted: run 'mount'"};
  facts.capabilities = {};
  EXPECT_EQ(news(facts), "problem: resctrl is not mounted > run 'mount'\n");
  EXPECT_FALSE(can_apply(examine(facts)));
  EXPECT_EQ(
      conclusion(facts, examine(facts)),
      "policies that divide caches or bandwidth cannot be applied here; those that only choose CPUs can");
  facts.hierarchy = {.version = CgroupVersion::none, .explanation = "there is no cpuset"};
  EXPECT_EQ(conclusion(facts, examine(facts)), "policies cannot be applied on this host");
  EXPECT_EQ(conclusion(healthy(), examine(healthy())), "policies can be applied on this host");
}

TEST(Doctor, sees_a_read_only_mount_and_its_options) {
  HostFacts facts = healthy();
  facts.presence.mount_options = "cdp";
  facts.presence.read_only = true;
  facts.presence.explanation = "resctrl is mounted read-only on /r: allow changes";
  EXPECT_EQ(news(facts),
            "ok: resctrl is mounted on /r with cdp\n"
            "problem: resctrl is mounted read-only on /r > allow changes\n");
}

TEST(Doctor, names_who_holds_closids) {
  HostFacts facts = healthy();
  facts.capabilities.l3->closids = facts.capabilities.memory->closids = 4;
  facts.groups = {{"bulkhead.web", true, 0}, {"p0", false, 1}, {"p1", false, 1}};
  facts.policy_in_force = "/etc/web.json";
  EXPECT_EQ(news(facts),
            "warning: 4 CLOSIDs: the default group, bulkhead.web, of other tools p0, p1; 0 free > a policy "
            "can have no "
            "further group: remove groups that nobody needs\n"
            "note: RMIDs are used by 2 monitoring groups as well\n"
            "note: 2 groups of other tools: Bulkhead leaves what they hold alone\n"
            "ok: the policy in force is /etc/web.json\n");
  EXPECT_TRUE(can_apply(examine(facts)));
}

TEST(Doctor, knows_what_libpqos_calls_our_groups) {
  HostFacts facts = healthy();
  facts.capabilities.l3->closids = facts.capabilities.memory->closids = 4;
  facts.groups = {{"COS1", false, 0}, {"COS2", false, 0}, {"COS3", false, 0}};
  facts.policy_in_force = "/etc/web.json";
  facts.classes = {{"bulkhead.web", 2}};
  EXPECT_EQ(news(facts),
            "ok: 4 CLOSIDs: the default group, bulkhead.web (COS2); 2 free, 2 of them made by libpqos already\n"
            "ok: the policy in force is /etc/web.json\n");
  facts.groups[0].monitoring = 1;
  EXPECT_EQ(news(facts),
            "ok: 4 CLOSIDs: the default group, bulkhead.web (COS2), of other tools COS1; 1 free, 1 of them made "
            "by libpqos already\n"
            "note: RMIDs are used by 1 monitoring group as well\n"
            "note: 1 group of other tools: Bulkhead leaves what they hold alone\n"
            "ok: the policy in force is /etc/web.json\n");
}

TEST(Doctor, finds_what_a_crash_left) {
  HostFacts facts = healthy();
  facts.groups = {{"bulkhead.web", true, 0}};
  EXPECT_EQ(
      news(facts),
      "ok: 16 CLOSIDs: the default group, bulkhead.web; 14 free\n"
      "warning: there are groups of Bulkhead's, but no policy is in force > bulkhead reset removes them\n");
  facts.groups.clear();
  facts.interrupted = "apply of web";
  EXPECT_EQ(
      news(facts),
      "warning: an interrupted apply of web is not undone yet > bulkhead status undoes it, as do verify, "
      "apply and reset\n");
}

TEST(Doctor, compares_the_ids_of_l3_caches) {
  HostFacts facts = healthy();
  facts.capabilities.domains = {{0}, {1}};
  EXPECT_EQ(news(facts),
            "problem: resctrl knows the L3 caches 0-1, the topology shows 0,4 > bring all CPUs online; if "
            "that is not "
            "it, report it with the output of lstopo\n");
}

TEST(Doctor, notes_what_is_unusual_about_the_machine) {
  HostFacts facts = healthy();
  facts.user = 1000;
  facts.machine.offline = {4, 5};
  facts.machine.ccds[0].nodes = {0, 1};
  EXPECT_EQ(news(facts),
            "problem: this is user 1000, who may only look > run it as root to apply policies\n"
            "warning: CPUs 4-5 are offline > plans leave them out; bring them online before planning if they "
            "are to be "
            "used\n"
            "note: CCD 0 spans the nodes 0-1 (sub-NUMA clustering): its L3 and its counters are those of all "
            "of them "
            "together\n");
}

TEST(Doctor, tells_intel_from_amd_by_what_the_kernel_offers) {
  HostFacts facts = healthy();
  facts.capabilities.l3 = CacheCapability{.closids = 8, .full = {0x7ff}, .min_ways = 2, .shareable = {0x600}};
  facts.capabilities.cdp = true;
  facts.capabilities.memory = BandwidthCapability{.closids = 8, .min = 10, .granularity = 10};
  facts.capabilities.monitoring.reset();
  EXPECT_EQ(
      news(facts),
      "ok: L3: 11 ways, at least 2 a group, masks without gaps\n"
      "note: code and data are apart (cdp): half as many groups as without\n"
      "note: devices fill the ways 600 of each L3, too: ways for one service alone are taken from the others "
      "first\n"
      "ok: memory bandwidth: percent in steps of 10, at least 10%\n"
      "note: nothing is counted for groups on this host: no occupancy, no bandwidth\n"
      "ok: 8 CLOSIDs: the default group; 7 free\n");
}

TEST(Doctor, says_what_resctrl_cannot_divide) {
  HostFacts facts = healthy();
  facts.capabilities.l3.reset();
  facts.capabilities.memory.reset();
  facts.capabilities.l2 = CacheCapability{.closids = 8, .full = {0xff}};
  EXPECT_EQ(news(facts),
            "warning: this processor divides L2 caches, not the L3: Bulkhead plans the L3 only\n"
            "note: memory bandwidth cannot be limited on this host\n"
            "ok: 8 CLOSIDs: the default group; 7 free\n");
}

TEST(Doctor, looks_at_the_cgroup_tree) {
  HostFacts facts = healthy();
  facts.systemd = false;
  facts.cpuset_enabled = false;
  EXPECT_EQ(news(facts),
            "note: the root cgroup does not give cpuset to its children yet: apply does that\n"
            "note: no systemd: cgroups are written directly, and a unit is a cgroup of its name\n");
  facts.hierarchy = {.version = CgroupVersion::v1, .mount_point = "/c1"};
  EXPECT_EQ(news(facts),
            "note: cgroup v1: cpuset is on /c1, without partitions\n"
            "note: no systemd: cgroups are written directly, and a unit is a cgroup of its name\n");
  facts.hierarchy = {.version = CgroupVersion::none, .explanation = "no cgroup tree"};
  EXPECT_EQ(news(facts), "problem: no cgroup tree\n");
}

}  // namespace
}  // namespace bulkhead
