// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/expressible.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;

ControlGroup web() {
  return {.name = "bulkhead.web",
          .services = {"web"},
          .takes_cpus = true,
          .cpus = {0, 1},
          .schemata = {{Resource::l3, {{CacheId{0}, 0xf0}, {CacheId{1}, 0xffff}}},
                       {Resource::memory_bandwidth, {{CacheId{0}, 64}}}}};
}

std::string refusal(const ControlGroup& group, PqosInterface interface = PqosInterface::os,
                    const Observed& now = {}) {
  return error_of([&] { refuse_inexpressible(interface, {.groups = {group}}, now); });
}

TEST(Expressible, one_run_of_ways_bandwidth_and_cpus_are) {
  EXPECT_EQ(refusal(web()), "");
  EXPECT_EQ(refusal(web(), PqosInterface::msr), "");
}

TEST(Expressible, masks_with_gaps_are_not) {
  ControlGroup group = web();
  group.schemata[Resource::l3][CacheId{1}] = 0xf0f;
  EXPECT_EQ(refusal(group),
            "infeasible: service web: the mask f0f of CCD 1 has gaps, and libpqos takes one run of ways "
            "only: ask for "
            "other ways, or use --actuator resctrl");
  group.schemata[Resource::l3][CacheId{1}] = 0;
  EXPECT_EQ(refusal(group),
            "infeasible: service web: the mask 0 of CCD 1 has no way, and libpqos takes one run of ways "
            "only: ask for "
            "other ways, or use --actuator resctrl");
}

TEST(Expressible, slow_memory_is_not) {
  ControlGroup group = web();
  group.schemata[Resource::slow_bandwidth][CacheId{0}] = 8;
  EXPECT_EQ(refusal(group),
            "infeasible: service web: libpqos cannot limit slow memory: leave \"slow\" out, or use "
            "--actuator resctrl");
}

TEST(Expressible, services_that_are_counted_apart_are_not) {
  ControlGroup group = web();
  group.services = {"web", "db"};
  group.monitoring = {{.name = "bulkhead.web", .service = "web", .cpus = {}},
                      {.name = "bulkhead.db", .service = "db", .cpus = {}}};
  EXPECT_EQ(refusal(group),
            "infeasible: services web, db: services that share a class are counted in monitoring groups, "
            "which libpqos "
            "cannot make: make them one service, or their wants different, or use --actuator resctrl");
  EXPECT_EQ(
      refusal({.name = "", .services = {"web"}, .monitoring = {{"bulkhead.web", "web", {}}}}),
      "infeasible: service web: without a class of its own a service is counted in a monitoring group, which "
      "libpqos cannot make: give it \"l3\" or \"bandwidth\", or use --actuator resctrl");
}

TEST(Expressible, threads_are_only_through_resctrl) {
  ControlGroup group = web();
  group.takes_cpus = false;
  EXPECT_EQ(refusal(group), "");
  EXPECT_EQ(refusal(group, PqosInterface::msr),
            "infeasible: service web: its threads would have to be assigned, and registers know CPUs only: "
            "give it CPUs "
            "of its own (\"exclusive_cpus\"), or use --actuator resctrl");
}

TEST(Expressible, what_the_default_group_has_must_be_possible_to_give_back) {
  const ControlGroup planned{.name = "", .schemata = {{Resource::l3, {{CacheId{0}, 0xff}}}}};
  Observed now;
  now.groups = {{.name = "", .schemata = {{Resource::l3, {{CacheId{0}, 0xf0ff}}}}}};
  EXPECT_EQ(
      refusal(planned, PqosInterface::os, now),
      "infeasible: the default group as it is now: the mask f0ff of CCD 0 has gaps, and libpqos takes one "
      "run of "
      "ways only: it could not be given back: give it one run of ways first, or use --actuator resctrl");
  EXPECT_EQ(refusal(web(), PqosInterface::os, now), "");
}

}  // namespace
}  // namespace bulkhead
