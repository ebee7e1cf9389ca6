// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/perf_services.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

constexpr const char* kRoot = "/sys/fs/cgroup";

std::string root_of(std::string_view mountinfo) {
  return perf_cgroup_root(parse_mountinfo(mountinfo), kRoot);
}

TEST(PerfCgroupRoot, is_where_services_are_if_events_are_counted_there) {
  EXPECT_EQ(root_of("1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), kRoot);
  EXPECT_EQ(root_of("1 0 0:1 / /sys/fs/cgroup rw - cgroup cgroup rw,perf_event\n"), kRoot);
  EXPECT_EQ(root_of("1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
                    "2 0 0:2 / /v1 rw - cgroup cgroup rw,net_cls,perf_event\n"),
            "");
  EXPECT_EQ(root_of("1 0 0:1 / /sys/fs/cgroup rw - cgroup cgroup rw,cpuset\n"), "");
  EXPECT_EQ(root_of("1 0 0:1 / /elsewhere rw - cgroup2 cgroup2 rw\n"), "");
}

TEST(PerfServices, are_counted_by_their_cgroups_or_else_by_their_threads) {
  Plan plan;
  for (const char* name : {"web", "backup", "idle"}) {
    ServiceEffect effect;
    effect.service = name;
    effect.cpus = {0, 1, 2};
    plan.services.push_back(effect);
  }
  Observed now;
  now.online_cpus = {0, 1};
  now.services.resize(2);
  now.services[0] = {.service = "web", .thread_groups = {{7, ""}}, .cgroups = {"/a/web", "/b"}};
  now.services[1] = {
      .service = "backup", .thread_groups = {{8, ""}, {9, ""}}, .cgroups = {"/shared"}, .by_process = true};
  const PerfService idle{.name = "idle", .cpus = {0, 1}};
  EXPECT_EQ(perf_services(plan, now, "/c"),
            (std::vector<PerfService>{{.name = "web", .cgroups = {"/c/a/web", "/c/b"}, .cpus = {0, 1}},
                                      {.name = "backup", .threads = {8, 9}, .cpus = {0, 1}},
                                      idle}));
  EXPECT_EQ(perf_services(plan, now, ""),
            (std::vector<PerfService>{{.name = "web", .threads = {7}, .cpus = {0, 1}},
                                      {.name = "backup", .threads = {8, 9}, .cpus = {0, 1}},
                                      idle}));
}

}  // namespace
}  // namespace bulkhead
