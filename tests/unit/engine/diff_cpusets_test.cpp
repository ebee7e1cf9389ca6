// SPDX-License-Identifier: Apache-2.0
// The order and the text of steps in the cgroup tree, without a kernel.
#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "tests/unit/engine/diff_fixture.h"

namespace bulkhead {
namespace {

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

TEST(DiffCpusets, give_memory_back_that_only_an_earlier_policy_confined) {
  Plan plan = web_alone();
  plan.cpusets[0].memory_nodes = {};
  Observed now = cgroup_host();
  now.cpusets[0].effective_memory_nodes = {0, 1};
  for (ObservedCpuset& cpuset : now.cpusets) cpuset.controlled = true;
  now.cpusets[2].cpus = now.cpusets[4].cpus = CpuSet::range(2, 7);
  now.cpusets[3].cpus = {0, 1};
  now.cpusets[3].memory_nodes = {0};
  EXPECT_EQ(all_lines(plan, now), Lines());  // somebody else's
  Baseline baseline;
  baseline.cpusets["/system/web"].memory_nodes = "";
  EXPECT_EQ(lines(diff(plan, now, baseline).steps), (Lines{"/system/web: cpuset.mems nothing (was 0)"}));
  baseline.cpusets["/system/web"].memory_nodes = "1";
  EXPECT_EQ(lines(diff(plan, now, baseline).steps), (Lines{"/system/web: cpuset.mems 1 (was 0)"}));
  baseline.cpusets["/system/web"].memory_nodes = "";
  now.cpusets[3].memory_nodes = {0, 1};  // in place of nothing
  EXPECT_EQ(lines(diff(plan, now, baseline).steps), Lines());
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
    EXPECT_EQ(
        error.detail().message,
        "cgroup /user is confined to CPUs 0-1 by another program: let it have some of 2-7, which others "
        "have, or remove its cpuset.cpus");
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

// Its limits outlive a unit that stops.
TEST(DiffCpusets, keep_and_lift_the_limits_of_units_that_do_not_run) {
  Plan plan = web_alone();
  plan.cpusets[0].select.kind = SelectKind::unit;
  plan.cpusets[0].select.text = "web.service";
  Observed now = cgroup_host();
  now.systemd = true;
  now.services[0] = {.service = "web"};
  Baseline baseline;
  baseline.units["web.service"] = baseline.units["job.service"] = "AllowedCPUs= AllowedMemoryNodes=";
  baseline.units["gone.scope"] = "AllowedCPUs= AllowedMemoryNodes=";
  now.idle_units = {{"web.service", {"AllowedCPUs=0-1 AllowedMemoryNodes=0", "/system/web.service"}},
                    {"job.service", {"AllowedCPUs=2-7 AllowedMemoryNodes=", "/job.service"}}};
  const Diff same = diff(plan, now, baseline);
  EXPECT_EQ(lines(same.steps),
            (Lines{"/system: enable cpuset for its children", "/system/db: cpuset.cpus 2-7 (was nothing)",
                   "/system/web: cpuset.cpus 2-7 (was nothing)", "/user: cpuset.cpus 2-7 (was nothing)"}))
      << "not /system, where it is to start";
  EXPECT_EQ(same.waiting, std::vector<std::string>{"web"});

  now.idle_units["web.service"].limits = "AllowedCPUs=4 AllowedMemoryNodes=0";
  const Lines changed = all_lines(plan, now, baseline);
  EXPECT_NE(
      std::find(changed.begin(), changed.end(),
                "web.service: AllowedCPUs=0-1 AllowedMemoryNodes=0 (was AllowedCPUs=4 AllowedMemoryNodes=0)"),
      changed.end());

  EXPECT_EQ(
      all_lines({}, now, baseline),
      (Lines{"job.service: AllowedCPUs= AllowedMemoryNodes= (was AllowedCPUs=2-7 AllowedMemoryNodes=)",
             "web.service: AllowedCPUs= AllowedMemoryNodes= (was AllowedCPUs=4 AllowedMemoryNodes=0)"}));
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
