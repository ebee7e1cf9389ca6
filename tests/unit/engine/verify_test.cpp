// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/verify.h"

#include <gtest/gtest.h>

#include "controller/engine/read_back.h"

namespace bulkhead {
namespace {

// web owns CPUs 0-3 of 0-7 with 12 ways of CCD 0; others have the rest. All is as planned.
struct Scene {
  Scene() {
    machine.cpus = CpuSet::range(0, 7);
    plan.groups = {{.name = "bulkhead.web",
                    .services = {"web"},
                    .takes_cpus = true,
                    .cpus = CpuSet::range(0, 3),
                    .schemata = {{Resource::l3, {{CacheId{0}, 0xfff}}},
                                 {Resource::memory_bandwidth, {{CacheId{0}, 16}}}}}};
    plan.services = {
        {.service = "web", .group = "bulkhead.web", .cpus = CpuSet::range(0, 3), .exclusive_cpus = true},
        {.service = "others", .cpus = CpuSet::range(4, 7)}};
    plan.cpusets = {
        {.service = "web", .cpus = CpuSet::range(0, 3)},
        {.service = "others", .select = {.kind = SelectKind::others}, .cpus = CpuSet::range(4, 7)}};
    now.resctrl = true;
    now.groups = {{.name = "", .cpus = CpuSet::range(4, 7)},
                  {.name = "bulkhead.web", .schemata = plan.groups[0].schemata, .cpus = CpuSet::range(0, 3)}};
    now.cpusets = {{.path = "/web",
                    .controlled = true,
                    .cpus = CpuSet::range(0, 3),
                    .effective_cpus = CpuSet::range(0, 3),
                    .effective_memory_nodes = {0},
                    .partition = "root"}};
    now.services = {{.service = "web", .thread_groups = {{10, ""}, {11, ""}}, .found = true}};
    targets = {{.service = "web",
                .path = "/web",
                .cpus = CpuSet::range(0, 3),
                .memory_nodes = {0},
                .partition = Partition::root}};
    threads = {{2, "kworker/0:0", CpuSet::range(0, 7), true},
               {10, "web", CpuSet::range(0, 3), false},
               {11, "web", {2}, false},
               {20, "cron", CpuSet::range(4, 7), false}};
  }

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Finding& finding : verify_structure(plan, now, targets, threads, machine)) {
      all.push_back(finding.kind + "/" + finding.service + "/" +
                    (finding.ccd ? to_string(*finding.ccd) : std::string()) + " " + finding.message);
    }
    return all;
  }

  Machine machine;
  Plan plan;
  Observed now;
  std::vector<CpusetTarget> targets;
  std::vector<HostThread> threads;
};

using Messages = std::vector<std::string>;

TEST(Verify, finds_nothing_where_all_holds) {
  EXPECT_EQ(Scene().messages(), Messages{});
}

TEST(Verify, finds_a_group_that_is_gone) {
  Scene scene;
  scene.now.groups.pop_back();
  EXPECT_EQ(
      scene.messages(),
      Messages{"group/web/ group bulkhead.web is not there: expected bulkhead.web, found no such group"});
}

TEST(Verify, finds_other_values_by_ccd) {
  Scene scene;
  scene.now.groups[1].schemata = {{Resource::l3, {{CacheId{0}, 0xffff}}}};
  scene.now.groups[1].cpus = {0};
  EXPECT_EQ(scene.messages(),
            (Messages{"mask/web/0 L3 mask of group bulkhead.web on CCD 0: expected fff, found ffff",
                      "bandwidth/web/0 memory bandwidth of group bulkhead.web on CCD 0: expected 16, found "
                      "no such domain",
                      "group_cpus/web/ group bulkhead.web has other CPUs: expected 0-3, found 0"}));
}

TEST(Verify, finds_threads_in_the_wrong_group) {
  Scene scene;
  scene.now.services[0].thread_groups = {
      {10, "bulkhead.old"}, {11, "bulkhead.old"}, {12, "bulkhead.old"}, {13, "bulkhead.old"}, {14, ""}};
  EXPECT_EQ(scene.messages().front(),
            "thread_group/web/ threads 10, 11, 12 and 1 more of web in the wrong group: expected the default "
            "group, "
            "found group bulkhead.old");
}

TEST(Verify, finds_cpusets_that_are_not_as_planned) {
  Scene scene;
  scene.now.cpusets[0].cpus = {};
  scene.now.cpusets[0].effective_cpus = CpuSet::range(0, 7);
  scene.now.cpusets[0].effective_memory_nodes = {0, 1};
  scene.now.cpusets[0].partition = "root invalid (Parent is not a partition root)";
  EXPECT_EQ(
      scene.messages(),
      (Messages{"cpuset/web/ configured CPUs of cgroup /web: expected 0-3, found none",
                "effective_cpus/web/ effective CPUs of cgroup /web: expected 0-3, found 0-7",
                "effective_mems/web/ effective memory nodes of cgroup /web: expected 0, found 0-1",
                "partition/web/ partition of cgroup /web: expected root, found root invalid (Parent is not a "
                "partition root)"}));
  scene.now.cpusets.clear();
  EXPECT_EQ(scene.messages(),
            Messages{"cpuset/web/ CPUs of cgroup /web: expected 0-3, found no cpuset there"});
}

TEST(Verify, finds_threads_that_may_run_elsewhere) {
  Scene scene;
  scene.threads[1].allowed_cpus = {3, 4};
  EXPECT_EQ(scene.messages(),
            Messages{"thread_cpus/web/ thread 10 of web may run elsewhere: expected 0-3, found 3-4"});
}

TEST(Verify, finds_intruders_but_not_kernel_threads) {
  Scene scene;
  scene.threads.push_back({30, "backup", CpuSet::range(3, 4), false});
  scene.threads.push_back({31, "backup", CpuSet::range(0, 7), false});
  EXPECT_EQ(scene.messages(),
            Messages{"intruder/web/ CPUs 0-3 are web's alone, but threads 30, 31 may run there: "
                     "expected only threads of web, found 'backup'"});
}

TEST(Verify, takes_offline_cpus_for_no_drift) {
  Scene scene;
  scene.machine.cpus = CpuSet::range(0, 7) - CpuSet{3};
  scene.now.groups[1].cpus = CpuSet::range(0, 2);
  scene.now.cpusets[0].effective_cpus = CpuSet::range(0, 2);
  EXPECT_EQ(scene.messages(), Messages{});
}

TEST(Verify, an_offline_cpu_stays_configured) {
  Scene scene;
  scene.machine.cpus = CpuSet::range(0, 7) - CpuSet{3};
  scene.plan.groups[0].cpus = CpuSet::range(0, 2);
  scene.now.groups[1].cpus = CpuSet::range(0, 2);
  scene.plan.services[0].cpus = scene.targets[0].cpus = CpuSet::range(0, 2);
  scene.now.cpusets[0].effective_cpus = CpuSet::range(0, 2);
  ASSERT_EQ(scene.now.cpusets[0].cpus, CpuSet::range(0, 3));
  EXPECT_EQ(scene.messages(), Messages{});
}

TEST(ReadBack, names_what_was_written_to_once) {
  const std::vector<Step> steps{{.kind = StepKind::make_group, .target = "bulkhead.a"},
                                {.kind = StepKind::write_schemata, .target = "bulkhead.a"},
                                {.kind = StepKind::write_cpus, .target = "bulkhead.a/mon_groups/bulkhead.m"},
                                {.kind = StepKind::write_cpus, .target = "mon_groups/bulkhead.n"},
                                {.kind = StepKind::write_cpuset_cpus, .target = "/b"},
                                {.kind = StepKind::set_unit, .target = "c.service"}};
  Observed before;
  before.cpusets = {{.path = "/system/c", .unit = "c.service"}};
  const Written written = written_by(steps, before);
  EXPECT_EQ(written.groups, (std::vector<std::string>{"", "bulkhead.a"}));
  EXPECT_EQ(written.cgroups, (std::vector<std::string>{"/b", "/system/c"}));
}

TEST(ReadBack, finds_what_the_kernel_made_of_it) {
  const CpuSet online = CpuSet::range(0, 7);
  const std::vector<Step> steps{
      {.kind = StepKind::write_schemata, .target = "bulkhead.a", .text = "L3:0=400\nMB:0=70\n"},
      {.kind = StepKind::write_cpus, .target = "bulkhead.a", .text = "0-3"}};
  std::vector<ObservedGroup> groups{
      {.name = "bulkhead.a",
       .schemata = {{Resource::l3, {{CacheId{0}, 0x400}}}, {Resource::memory_bandwidth, {{CacheId{0}, 70}}}},
       .cpus = CpuSet::range(0, 3)}};
  EXPECT_EQ(find_mismatch(steps, groups, {}, {}, online), std::nullopt);
  groups[0].schemata[Resource::memory_bandwidth][CacheId{0}] = 90;
  EXPECT_EQ(find_mismatch(steps, groups, {}, {}, online),
            "schemata of group bulkhead.a: MB:0=70 was written, the kernel holds MB:0=90");
  groups[0].schemata[Resource::memory_bandwidth][CacheId{0}] = 70;
  groups[0].cpus = {0};
  EXPECT_EQ(find_mismatch(steps, groups, {}, {}, online),
            "CPUs of group bulkhead.a: 0-3 was written, the kernel holds 0");
  EXPECT_EQ(find_mismatch(steps, {}, {}, {}, online),
            "group bulkhead.a: L3:0=400 MB:0=70 was written, the kernel holds no such group");
  const std::vector<CpusetTarget> targets{{.service = "a", .path = "/a", .cpus = CpuSet::range(0, 3)}};
  EXPECT_EQ(find_mismatch({}, {}, {{.path = "/a", .effective_cpus = CpuSet::range(4, 7)}}, targets, online),
            "effective CPUs of cgroup /a: 0-3 was written, the kernel holds 4-7");
}

}  // namespace
}  // namespace bulkhead
