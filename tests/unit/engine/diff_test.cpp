// SPDX-License-Identifier: Apache-2.0
// The order and the text of steps, without a kernel.
#include "controller/engine/diff.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "controller/engine/write_order.h"

namespace bulkhead {
namespace {

Schemata l3(std::initializer_list<std::pair<unsigned, std::uint64_t>> masks) {
  Schemata schemata;
  for (const auto& [domain, mask] : masks) schemata[Resource::l3][CacheId{domain}] = mask;
  return schemata;
}

// A host of one CCD with 16 ways, CPUs 0-7, and nothing of ours.
Observed fresh_host() {
  Observed now;
  now.resctrl = true;
  now.closids = 4;
  now.groups = {{.name = "", .schemata = l3({{0, 0xffff}}), .cpus = CpuSet::range(0, 7)}};
  return now;
}

ControlGroup cpus_group(const std::string& name, const CpuSet& cpus, std::uint64_t mask) {
  return {.name = "bulkhead." + name,
          .services = {name},
          .takes_cpus = true,
          .cpus = cpus,
          .schemata = l3({{0, mask}})};
}

ControlGroup tasks_group(const std::string& name, std::uint64_t mask) {
  return {.name = "bulkhead." + name, .services = {name}, .schemata = l3({{0, mask}})};
}

std::vector<std::string> lines(const std::vector<Step>& steps) {
  std::vector<std::string> all;
  for (const Step& step : steps) all.push_back(describe(step));
  return all;
}

std::vector<std::string> all_lines(const Plan& plan, const Observed& now, const Baseline& baseline = {}) {
  return lines(diff(plan, now, baseline).steps);
}

using Lines = std::vector<std::string>;

TEST(Diff, makes_and_sizes_before_anything_moves_in) {
  Plan plan;
  plan.groups = {cpus_group("web", {0, 1}, 0xfff), {.name = "", .schemata = l3({{0, 0xf000}})}};
  EXPECT_EQ(all_lines(plan, fresh_host()), (Lines{
                                               "make group bulkhead.web",
                                               "the default group: schemata L3:0=f000 (was L3:0=ffff)",
                                               "bulkhead.web: schemata L3:0=fff (was nothing)",
                                               "bulkhead.web: CPUs 0-1 (was nothing)",
                                           }));
}

TEST(Diff, finds_nothing_to_do_where_all_is_as_planned) {
  Plan plan;
  plan.groups = {cpus_group("web", {0, 1}, 0xfff)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.web", .schemata = l3({{0, 0xfff}}), .cpus = {0, 1}});
  EXPECT_EQ(all_lines(plan, now), Lines{});
}

TEST(Diff, writes_only_the_domains_that_differ_in_one_write) {
  Plan plan;
  plan.groups = {
      {.name = "bulkhead.web", .services = {"web"}, .schemata = l3({{0, 0xf}, {1, 0xf}, {2, 0xf}})}};
  plan.groups[0].schemata[Resource::memory_bandwidth] = {{CacheId{0}, 16}, {CacheId{1}, 2048}};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.web", .schemata = l3({{0, 0xf}, {1, 0xff}, {2, 0xf}})});
  now.groups[1].schemata[Resource::memory_bandwidth] = {{CacheId{0}, 2048}, {CacheId{1}, 2048}};
  const std::vector<Step> steps = diff(plan, now, {}).steps;
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].text, "L3:1=f\nMB:0=16\n");
  EXPECT_EQ(steps[0].before, "L3:1=ff\nMB:0=2048\n");
}

TEST(Diff, lets_old_groups_go_last) {
  Plan plan;
  plan.groups = {cpus_group("new", {0, 1}, 0xff)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.old", .schemata = l3({{0, 0xff}}), .cpus = {0, 1}});
  now.groups.push_back({.name = "theirs", .schemata = l3({{0, 0xf}}), .cpus = {7}});
  now.group_threads["bulkhead.old"] = {30, 31};
  const std::vector<Step> steps = diff(plan, now, {}).steps;
  EXPECT_EQ(lines(steps), (Lines{
                              "make group bulkhead.new",
                              "bulkhead.new: schemata L3:0=ff (was nothing)",
                              "bulkhead.new: CPUs 0-1 (was nothing)",
                              "remove group bulkhead.old",
                          }));
  EXPECT_EQ(steps.back().image, (GroupImage{.schemata = "L3:0=ff\n", .cpus = "0-1", .tasks = {30, 31}}));
}

TEST(Diff, lets_old_groups_go_first_where_their_closids_are_needed) {
  Plan plan;
  plan.groups = {cpus_group("a", {0}, 0xf), cpus_group("b", {1}, 0xf0)};
  Observed now = fresh_host();  // 4 CLOSIDs: the default group, one of ours, one of theirs: one is left
  now.groups.push_back({.name = "bulkhead.old", .schemata = l3({{0, 0xff}})});
  now.groups.push_back({.name = "theirs", .schemata = l3({{0, 0xf}})});
  const Lines steps = all_lines(plan, now);
  ASSERT_GE(steps.size(), 3U);
  EXPECT_EQ(steps[0], "remove group bulkhead.old");
  EXPECT_EQ(steps[1], "make group bulkhead.a");
}

TEST(Diff, never_names_a_foreign_group) {
  Observed now = fresh_host();
  now.groups[0].monitoring = {{.name = "bulkhead.x", .cpus = {}}, {.name = "theirs", .cpus = {3}}};
  now.groups.push_back(
      {.name = "bulkhead.old", .schemata = l3({{0, 0xff}}), .monitoring = {{.name = "guest", .cpus = {}}}});
  now.groups.push_back(
      {.name = "p0", .schemata = l3({{0, 0xf}}), .monitoring = {{.name = "bulkhead.y", .cpus = {}}}});
  EXPECT_EQ(all_lines({}, now), (Lines{
                                    "remove group mon_groups/bulkhead.x",
                                    "remove group bulkhead.old/mon_groups/guest",
                                    "remove group bulkhead.old",
                                }));
}

TEST(Diff, brings_the_default_group_back_where_the_plan_says_nothing_any_more) {
  Baseline baseline;
  baseline.default_group = l3({{0, 0xffff}, {9, 0xffff}});  // domain 9 is offline now
  Observed now = fresh_host();
  now.groups[0].schemata = l3({{0, 0xf000}});
  EXPECT_EQ(all_lines({}, now, baseline), Lines{"the default group: schemata L3:0=ffff (was L3:0=f000)"});
}

TEST(Diff, shrinks_cpu_lists_before_they_grow_elsewhere) {
  Plan plan;
  plan.groups = {cpus_group("a", {0, 1, 2}, 0xf), cpus_group("b", {3}, 0xf0)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.a", .schemata = l3({{0, 0xf}}), .cpus = {0, 1}});
  now.groups.push_back({.name = "bulkhead.b", .schemata = l3({{0, 0xf0}}), .cpus = {2, 3}});
  EXPECT_EQ(all_lines(plan, now), (Lines{"bulkhead.b: CPUs 3 (was 2-3)", "bulkhead.a: CPUs 0-2 (was 0-1)"}));
}

TEST(Diff, takes_cpus_from_a_group_that_goes_over_to_tasks) {
  Plan plan;
  plan.groups = {tasks_group("a", 0xf)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.a", .schemata = l3({{0, 0xf}}), .cpus = {0, 1}});
  EXPECT_EQ(all_lines(plan, now), Lines{"bulkhead.a: CPUs nothing (was 0-1)"});
}

TEST(Diff, gives_monitoring_groups_their_cpus_again_when_those_of_the_control_group_change) {
  Plan plan;
  plan.groups = {cpus_group("bulk", {0, 1, 2, 3}, 0xf)};
  plan.groups[0].monitoring = {{.name = "bulkhead.a", .service = "a", .cpus = {0, 1}},
                               {.name = "bulkhead.b", .service = "b", .cpus = {2, 3}}};
  Observed now = fresh_host();
  now.groups.push_back(
      {.name = "bulkhead.bulk",
       .schemata = l3({{0, 0xf}}),
       .cpus = {0, 1, 2},
       .monitoring = {{.name = "bulkhead.a", .cpus = {0, 1}}, {.name = "bulkhead.b", .cpus = {2}}}});
  EXPECT_EQ(all_lines(plan, now), (Lines{
                                      "bulkhead.bulk/mon_groups/bulkhead.a: CPUs nothing (was 0-1)",
                                      "bulkhead.bulk/mon_groups/bulkhead.b: CPUs nothing (was 2)",
                                      "bulkhead.bulk: CPUs 0-3 (was 0-2)",
                                      "bulkhead.bulk/mon_groups/bulkhead.a: CPUs 0-1 (was nothing)",
                                      "bulkhead.bulk/mon_groups/bulkhead.b: CPUs 2-3 (was nothing)",
                                  }));
}

TEST(DiffThreads, move_where_they_belong_and_back) {
  Plan plan;
  plan.groups = {tasks_group("web", 0xf)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.web", .schemata = l3({{0, 0xf}})});
  now.services = {{.service = "web", .thread_groups = {{10, ""}, {11, "bulkhead.web"}}, .found = true}};
  now.group_threads["bulkhead.web"] = {11, 12};
  const std::vector<Step> steps = diff(plan, now, {}).steps;
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].target, "bulkhead.web");
  EXPECT_EQ(steps[0].tasks, (std::map<unsigned, std::string>{{10, ""}}));
  EXPECT_EQ(steps[1].target, "");
  EXPECT_EQ(steps[1].tasks, (std::map<unsigned, std::string>{{12, "bulkhead.web"}}));
}

TEST(DiffThreads, that_a_selected_process_made_stay_in_its_group) {
  Plan plan;
  plan.groups = {tasks_group("web", 0xf)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.web", .schemata = l3({{0, 0xf}})});
  now.services = {
      {.service = "web", .thread_groups = {{11, "bulkhead.web"}}, .found = true, .by_process = true}};
  now.group_threads["bulkhead.web"] = {11, 12};
  EXPECT_EQ(all_lines(plan, now), Lines{});
}

TEST(DiffThreads, of_services_that_share_a_class_go_to_monitoring_groups) {
  Plan plan;
  plan.groups = {
      {.name = "bulkhead.bulk",
       .services = {"a", "b"},
       .schemata = l3({{0, 0xf}}),
       .monitoring = {{.name = "bulkhead.a", .service = "a"}, {.name = "bulkhead.b", .service = "b"}}}};
  Observed now = fresh_host();
  now.services = {{.service = "a", .thread_groups = {{10, ""}}, .found = true},
                  {.service = "b", .thread_groups = {{11, ""}}, .found = true}};
  EXPECT_EQ(all_lines(plan, now), (Lines{
                                      "make group bulkhead.bulk",
                                      "bulkhead.bulk: schemata L3:0=f (was nothing)",
                                      "make group bulkhead.bulk/mon_groups/bulkhead.a",
                                      "make group bulkhead.bulk/mon_groups/bulkhead.b",
                                      "bulkhead.bulk/mon_groups/bulkhead.a: move in 1 thread",
                                      "bulkhead.bulk/mon_groups/bulkhead.b: move in 1 thread",
                                  }));
}

TEST(DiffThreads, in_a_group_of_somebody_else_are_a_conflict) {
  Plan plan;
  plan.groups = {tasks_group("web", 0xf)};
  for (const char* foreign : {"p0", "mon_groups/watch", "p0/mon_groups/bulkhead-like"}) {
    Observed now = fresh_host();
    now.services = {{.service = "web", .thread_groups = {{10, foreign}}, .found = true}};
    try {
      diff(plan, now, {});
      FAIL() << foreign;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::conflict);
      EXPECT_EQ(
          error.detail().message,
          "thread 10 of service 'web' is in resctrl group '" + std::string(foreign) +
              "', which is not ours and is never touched: whoever made it must let the thread go, or the "
              "policy must not select it");
    }
  }
}

TEST(DiffThreads, of_a_group_that_takes_cpus_stay_in_the_default_group) {
  Plan plan;
  plan.groups = {cpus_group("web", {0}, 0xf)};
  Observed now = fresh_host();
  now.groups.push_back({.name = "bulkhead.web", .schemata = l3({{0, 0xf}}), .cpus = {0}});
  now.services = {{.service = "web", .thread_groups = {{10, ""}, {11, "bulkhead.web"}}, .found = true}};
  now.group_threads["bulkhead.web"] = {11};
  const std::vector<Step> steps = diff(plan, now, {}).steps;
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].target, "");
  EXPECT_EQ(steps[0].tasks, (std::map<unsigned, std::string>{{11, "bulkhead.web"}}));
}

TEST(WriteOrder, puts_givers_before_takers) {
  const auto resize = [](const char* name, std::uint64_t before, std::uint64_t after) {
    return Resize{.step = {.target = name}, .before = l3({{0, before}}), .after = l3({{0, after}})};
  };
  const auto order = [](std::vector<Resize> resizes) {
    std::string names;
    for (const Step& step : in_safe_order(std::move(resizes))) names += step.target;
    return names;
  };
  EXPECT_EQ(order({resize("a", 0x00f, 0x0ff), resize("b", 0x0f0, 0xf00), resize("c", 0xf00, 0x000)}), "cba");
  EXPECT_EQ(order({resize("a", 0x0f, 0xf0), resize("b", 0xf0, 0x0f)}), "ab");
  EXPECT_EQ(order({resize("a", 0xff, 0xff), resize("b", 0xff, 0x0f)}), "ab");
}

// ---- cpusets

Observed cgroup_host() {
  Observed now = fresh_host();
  const auto cpuset = [](const char* path, bool controlled) {
    return ObservedCpuset{.path = path,
                          .controlled = controlled,
                          .effective_cpus = CpuSet::range(0, 7),
                          .effective_memory_nodes = {0},
                          .partition = "member"};
  };
  now.cpusets = {cpuset("/", true), cpuset("/system", true), cpuset("/system/db", false),
                 cpuset("/system/web", false), cpuset("/user", true)};
  now.services = {{.service = "web", .cgroups = {"/system/web"}, .found = true},
                  {.service = "others", .found = true}};
  return now;
}

Plan web_alone() {
  Plan plan;
  plan.cpusets = {
      {.service = "web", .select = {.kind = SelectKind::cgroup}, .cpus = {0, 1}, .memory_nodes = {0}},
      {.service = "others", .select = {.kind = SelectKind::others}, .cpus = CpuSet::range(2, 7)}};
  return plan;
}

TEST(DiffCpusets, confine_all_that_is_beside_a_service_from_the_top_down) {
  EXPECT_EQ(all_lines(web_alone(), cgroup_host()), (Lines{
                                                       "/system: enable cpuset for its children",
                                                       "/system/web: cpuset.cpus 0-1 (was nothing)",
                                                       "/system/db: cpuset.cpus 2-7 (was nothing)",
                                                       "/user: cpuset.cpus 2-7 (was nothing)",
                                                       "/system/web: cpuset.mems 0 (was nothing)",
                                                   }));
}

TEST(DiffCpusets, never_widen_what_somebody_else_confined) {
  Observed now = cgroup_host();
  now.cpusets[4].cpus = {1, 2, 3};
  EXPECT_EQ(all_lines(web_alone(), now)[3], "/user: cpuset.cpus 2-3 (was 1-3)");
  now.cpusets[4].cpus = {0, 1};
  try {
    diff(web_alone(), now, {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::infeasible);
    EXPECT_EQ(error.detail().message,
              "cgroup /user is confined to CPUs 0-1 by somebody else; of these none is left to others (2-7)");
  }
}

TEST(DiffCpusets, remember_what_was_before_ours) {
  Observed now = cgroup_host();
  now.cpusets[4].cpus = {2, 3};  // ours
  Baseline baseline;
  baseline.cpusets["/user"] = {.cpus = "1-5"};
  EXPECT_EQ(all_lines(web_alone(), now, baseline)[3], "/user: cpuset.cpus 2-5 (was 2-3)");
  EXPECT_EQ(all_lines({}, now, baseline), Lines{"/user: cpuset.cpus 1-5 (was 2-3)"});
}

TEST(DiffCpusets, go_through_systemd_for_its_units) {
  Observed now = cgroup_host();
  now.systemd = true;
  now.cpusets[3].unit = "web.service";
  now.cpusets[4].unit = "user.slice";
  const Lines steps = all_lines(web_alone(), now);
  EXPECT_EQ(steps[0], "/system: enable cpuset for its children");  // for db, which is nobody's unit here
  EXPECT_NE(
      std::find(steps.begin(), steps.end(),
                "web.service: AllowedCPUs=0-1 AllowedMemoryNodes=0 (was AllowedCPUs= AllowedMemoryNodes=)"),
      steps.end());
  EXPECT_NE(
      std::find(steps.begin(), steps.end(),
                "user.slice: AllowedCPUs=2-7 AllowedMemoryNodes= (was AllowedCPUs= AllowedMemoryNodes=)"),
      steps.end());
}

TEST(DiffCpusets, give_processes_without_a_cgroup_one_of_ours) {
  Plan plan = web_alone();
  plan.cpusets[0].select.kind = SelectKind::pids;
  Observed now = cgroup_host();
  now.services[0] = {
      .service = "web", .cgroups = {"/user"}, .processes = {40, 41}, .found = true, .by_process = true};
  now.process_cgroups = {{40, "/user"}, {41, "/user"}};
  now.root_processes = {1, 50};
  const std::vector<Step> steps = diff(plan, now, {}).steps;
  EXPECT_EQ(lines(steps), (Lines{
                              "make cgroup /bulkhead.web",
                              "make cgroup /bulkhead.others",
                              "/bulkhead.web: cpuset.cpus 0-1 (was nothing)",
                              "/system: cpuset.cpus 2-7 (was nothing)",
                              "/user: cpuset.cpus 2-7 (was nothing)",
                              "/bulkhead.others: cpuset.cpus 2-7 (was nothing)",
                              "/bulkhead.web: cpuset.mems 0 (was nothing)",
                              "/bulkhead.web: move in 2 processes",
                              "/bulkhead.others: move in 2 processes",
                          }));
  EXPECT_EQ(steps[7].tasks, (std::map<unsigned, std::string>{{40, "/user"}, {41, "/user"}}));
  EXPECT_EQ(steps[8].tasks, (std::map<unsigned, std::string>{{1, "/"}, {50, "/"}}));
}

TEST(DiffCpusets, send_processes_back_and_children_after_their_makers) {
  Observed now = cgroup_host();
  now.cpusets.push_back({.path = "/bulkhead.web", .controlled = true, .cpus = {0, 1}, .partition = "member"});
  now.own_cgroups["/bulkhead.web"] = {40, 41, 99};
  Baseline baseline;
  baseline.made["/bulkhead.web"] = {{40, "/user"}, {41, "/system/db"}};
  baseline.enabled = {"/system"};
  const std::vector<Step> steps = diff({}, now, baseline).steps;
  EXPECT_EQ(lines(steps), (Lines{
                              "/system/db: move in 1 process",
                              "/user: move in 2 processes",
                              "remove cgroup /bulkhead.web",
                              "/system: disable cpuset for its children",
                          }));
  EXPECT_EQ(steps[1].tasks, (std::map<unsigned, std::string>{{40, "/bulkhead.web"}, {99, "/bulkhead.web"}}));
}

TEST(DiffCpusets, leave_cpuset_on_where_somebody_else_uses_it) {
  Observed now = cgroup_host();
  now.cpusets[2].cpus = {3};
  Baseline baseline;
  baseline.enabled = {"/system"};
  EXPECT_EQ(all_lines({}, now, baseline), Lines{});
}

TEST(DiffCpusets, dissolve_partitions_before_cpus_move_and_make_them_after) {
  Plan plan = web_alone();
  plan.cpusets[0].partition = Partition::isolated;
  Observed now = cgroup_host();
  const Lines steps = all_lines(plan, now);
  EXPECT_EQ(steps.back(), "/system/web: partition isolated (was member)");
  now.cpusets[3] = {
      .path = "/system/web", .controlled = true, .cpus = {0, 1}, .partition = "isolated invalid (x)"};
  EXPECT_EQ(all_lines(plan, now).back(), "/system/web: partition isolated (was isolated)");
  Baseline baseline;
  baseline.cpusets["/system/web"] = {.cpus = "", .partition = "member"};
  now.cpusets[3].partition = "isolated";
  EXPECT_EQ(all_lines({}, now, baseline), (Lines{"/system/web: partition member (was isolated)",
                                                 "/system/web: cpuset.cpus nothing (was 0-1)"}));
}

TEST(DiffCpusets, refuse_what_the_hierarchy_cannot_do) {
  Plan plan = web_alone();
  Observed now = cgroup_host();
  const auto refusal = [&] {
    try {
      diff(plan, now, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      return error.detail().message;
    }
    return std::string("accepted");
  };
  now.cgroup_v1 = true;
  plan.cpusets[0].partition = Partition::root;
  EXPECT_EQ(
      refusal(),
      "service 'web' asks for a cpuset partition, which only cgroup v2 has; this host has cpuset on v1");
  now.cgroup_v1 = false;
  now.systemd = true;
  plan.cpusets[0].select.kind = SelectKind::comm;
  EXPECT_EQ(
      refusal(),
      "service 'web' is selected by process, but systemd owns this host's cgroups: select the unit that runs "
      "it ({\"unit\": \"NAME.service\"}), or ask for \"all\" CPUs");
}

TEST(DiffCpusets, name_services_that_wait) {
  Observed now = cgroup_host();
  now.services[0] = {.service = "web"};
  const Diff result = diff(web_alone(), now, {});
  EXPECT_EQ(result.waiting, std::vector<std::string>{"web"});
  EXPECT_EQ(lines(result.steps),
            (Lines{"/system: cpuset.cpus 2-7 (was nothing)", "/user: cpuset.cpus 2-7 (was nothing)"}));
}

}  // namespace
}  // namespace bulkhead
