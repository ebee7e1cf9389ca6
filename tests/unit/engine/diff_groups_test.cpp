// SPDX-License-Identifier: Apache-2.0
// The order and the text of steps in resctrl, without a kernel.

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "controller/engine/write_order.h"
#include "tests/unit/engine/diff_fixture.h"

namespace bulkhead {
namespace {

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

}  // namespace
}  // namespace bulkhead
