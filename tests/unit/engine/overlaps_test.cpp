// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/overlaps.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

// Three services on lines 2 to 4: by cgroup, by unit, by name of the program.
const Policy kPolicy = require_policy(R"({"bulkhead": 1, "name": "three", "services": {
  "web": {"select": {"cgroup": "/web"}, "cpus": "all"},
  "unit": {"select": {"unit": "db.service"}, "cpus": "all"},
  "comm": {"select": {"comm": "db"}, "cpus": "all"}
}})",
                                      "three.json");

Observed host(std::vector<ObservedService> services, bool cgroup_v1 = false) {
  Observed now;
  now.cgroup_v1 = cgroup_v1;
  now.services = std::move(services);
  return now;
}

std::string refusal(const Observed& now) {
  try {
    refuse_overlaps(kPolicy, now);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::infeasible);
    return std::to_string(error.detail().line) + ": " + error.detail().message;
  }
  return "none";
}

TEST(Overlaps, services_beside_each_other_are_fine) {
  EXPECT_EQ(
      refusal(host({{.service = "web", .thread_groups = {{10, ""}}, .cgroups = {"/web"}, .processes = {10}},
                    {.service = "unit", .thread_groups = {{11, ""}}, .cgroups = {"/web2"}, .processes = {11}},
                    {.service = "comm", .cgroups = {"/"}, .processes = {12}, .by_process = true}})),
      "none");
}

TEST(Overlaps, a_process_is_in_one_service) {
  EXPECT_EQ(
      refusal(host({{.service = "unit", .thread_groups = {{11, ""}}, .cgroups = {"/db"}, .processes = {11}},
                    {.service = "comm",
                     .thread_groups = {{11, ""}},
                     .cgroups = {"/db"},
                     .processes = {11},
                     .by_process = true}})),
      "4: process 11 is selected by both 'unit' and 'comm', and can only be in one group: select them apart");
}

TEST(Overlaps, so_is_a_thread_whose_process_is_not_listed) {
  EXPECT_EQ(
      refusal(host({{.service = "web", .thread_groups = {{21, ""}}, .cgroups = {"/web"}},
                    {.service = "unit", .thread_groups = {{21, ""}}, .cgroups = {"/db"}}})),
      "3: thread 21 is selected by both 'web' and 'unit', and can only be in one group: select them apart");
}

TEST(Overlaps, cgroups_do_not_lie_in_each_other_though_they_are_empty) {
  EXPECT_EQ(
      refusal(host({{.service = "web", .cgroups = {"/web"}}, {.service = "unit", .cgroups = {"/web/db"}}})),
      "3: cgroup /web/db of 'unit' lies inside of /web, all of which is 'web': select cgroups that lie "
      "beside each other");
  EXPECT_EQ(
      refusal(host({{.service = "web", .cgroups = {"/web/a"}}, {.service = "unit", .cgroups = {"/web"}}})),
      "3: cgroup /web/a of 'web' lies inside of /web, all of which is 'unit': select cgroups that lie "
      "beside each other");
  EXPECT_EQ(
      refusal(host({{.service = "web", .cgroups = {"/web"}}, {.service = "unit", .cgroups = {"/web"}}})),
      "3: cgroup /web is selected by both 'web' and 'unit'");
}

// On v1 a unit has no cgroup of its own among the cpusets: where its processes happen to be says nothing.
TEST(Overlaps, units_share_a_cpuset_on_v1) {
  EXPECT_EQ(refusal(host({{.service = "web", .cgroups = {"/pods"}, .processes = {1}},
                          {.service = "unit", .cgroups = {"/pods/x"}, .processes = {2}}},
                         true)),
            "none");
}

}  // namespace
}  // namespace bulkhead
