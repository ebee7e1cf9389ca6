// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/watched_places.h"

#include <gmock/gmock.h>

#include "policies/reader.h"

namespace bulkhead {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Policy selecting(const std::string& select) {
  return require_policy(
      R"({"bulkhead": 1, "name": "p", "services": {"s": {"select": )" + select + R"(, "l3": "50%"}}})",
      "p.json");
}

Hierarchy v2() {
  return {
      .version = CgroupVersion::v2, .mount_point = "/cg", .explanation = {}, .service_mount_point = "/cg"};
}

TEST(WatchedPlaces, are_those_where_a_cgroup_may_be_made) {
  EXPECT_THAT(watched_places(selecting(R"({"cgroup": "/a/b/c*"})"), {}, "", v2()),
              ElementsAre("/cg", "/cg/a", "/cg/a/b"));
  EXPECT_THAT(watched_places(selecting(R"({"cgroup": "/top"})"), {}, "", v2()), ElementsAre("/cg"));
  EXPECT_THAT(watched_places(selecting(R"({"unit": "web.service"})"), {}, "", v2()),
              ElementsAre("/cg", "/cg/system.slice"));
}

TEST(WatchedPlaces, are_those_where_a_pid_file_may_be_made) {
  EXPECT_THAT(watched_places(selecting(R"({"pidfile": "/run/web/pid"})"), {}, "", v2()),
              ElementsAre("/run/web"));
  EXPECT_THAT(watched_places(selecting(R"({"pidfile": "/pid"})"), {}, "", v2()), ElementsAre("/"));
}

TEST(WatchedPlaces, are_our_groups_and_no_others) {
  Observed now;
  now.resctrl = true;
  now.groups = {{.name = ""}, {.name = "bulkhead.web"}, {.name = "theirs"}};
  now.groups[0].monitoring = {{"bulkhead.db", {}}, {"watch", {}}};
  EXPECT_THAT(watched_places(selecting(R"({"comm": "web"})"), now, "/rc", {}),
              ElementsAre("/rc", "/rc/bulkhead.web", "/rc/mon_groups", "/rc/mon_groups/bulkhead.db"));
  EXPECT_THAT(watched_places(selecting(R"({"comm": "web"})"), now, "", {}), IsEmpty());
}

TEST(WatchedPlaces, are_the_cgroups_of_services_with_their_parents) {
  Observed now;
  now.services = {{.service = "s", .cgroups = {"/a/web", "/a/web/inner"}}};
  EXPECT_THAT(watched_places(selecting(R"({"comm": "web"})"), now, "", v2()),
              ElementsAre("/cg/a", "/cg/a/web", "/cg/a/web/inner"));
}

TEST(WatchedPlaces, are_in_both_trees_where_cpusets_are_on_version_1) {
  Observed now;
  now.services = {{.service = "s", .cgroups = {"/web"}}};
  const Hierarchy v1{.version = CgroupVersion::v1,
                     .mount_point = "/cpuset",
                     .explanation = {},
                     .service_mount_point = "/systemd"};
  EXPECT_THAT(watched_places(selecting(R"({"comm": "web"})"), now, "", v1),
              ElementsAre("/cpuset", "/cpuset/web", "/systemd", "/systemd/web"));
}

TEST(WatchedPlaces, are_limited) {
  Observed now;
  now.services = {{.service = "s"}};
  for (std::size_t number = 0; number < 2 * kMostWatchedPlaces; ++number) {
    now.services[0].cgroups.push_back("/" + std::to_string(number));
  }
  EXPECT_EQ(watched_places(selecting(R"({"comm": "web"})"), now, "", v2()).size(), kMostWatchedPlaces);
}

TEST(WatchedPlaces, of_programs_there_are_none) {
  EXPECT_TRUE(selects_programs(selecting(R"({"comm": "web"})")));
  EXPECT_TRUE(selects_programs(selecting(R"({"exe": "/usr/bin/web"})")));
  EXPECT_FALSE(selects_programs(selecting(R"({"cgroup": "/web"})")));
}

}  // namespace
}  // namespace bulkhead
