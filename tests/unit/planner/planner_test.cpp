// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner/hosts.h"

namespace bulkhead {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Machine kMachine = regular_machine({.nodes_per_socket = 2});  // CCDs 0-3, CPUs 0-31
const Capabilities kAmd = amd_capabilities(kMachine);

Policy policy_of(std::vector<Service> services) {
  Policy policy;
  policy.name = "test";
  policy.services = std::move(services);
  return policy;
}

Service with_ways(const std::string& name, unsigned count, bool exclusive = false) {
  Service service = service_named(name);
  service.l3 = ways(count);
  service.l3_exclusive = exclusive;
  return service;
}

Service owning(const std::string& name, const CpuSet& ccds) {
  Service service = service_named(name);
  service.cpus = listed(CpuScope::ccds, ccds);
  service.exclusive_cpus = true;
  return service;
}

DomainValues on_ccds(const std::vector<unsigned>& ccds, std::uint64_t value) {
  DomainValues values;
  for (const unsigned ccd : ccds) values[CacheId{ccd}] = value;
  return values;
}

TEST(MakePlan, plans_nothing_where_nothing_is_wanted) {
  const Plan plan = make_plan(policy_of({}), kMachine, kAmd);
  EXPECT_THAT(plan.groups, IsEmpty());
  EXPECT_THAT(plan.cpusets, IsEmpty());
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(MakePlan, counts_a_service_without_wants_in_the_default_group) {
  const Plan plan = make_plan(policy_of({service_named("web")}), kMachine, kAmd);
  const ControlGroup expected{.name = "",
                              .services = {"web"},
                              .takes_cpus = false,
                              .cpus = {},
                              .schemata = {},
                              .monitoring = {{.name = "bulkhead.web", .service = "web", .cpus = {}}}};
  EXPECT_THAT(plan.groups, ElementsAre(expected));
  EXPECT_THAT(plan.cpusets, IsEmpty());
  EXPECT_EQ(plan.find_service("web")->group, "");
}

TEST(MakePlan, plans_masks_and_bandwidth_only_where_a_group_may_run) {
  Service web = with_ways("web", 4);
  web.cpus = listed(CpuScope::ccds, CpuSet{1, 2});
  const Plan plan = make_plan(policy_of({web}), kMachine, kAmd);
  const Schemata expected{{Resource::l3, on_ccds({1, 2}, 0xf)},
                          {Resource::memory_bandwidth, on_ccds({1, 2}, 4096)}};
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_EQ(plan.groups[0].schemata, expected);
  EXPECT_FALSE(plan.groups[0].takes_cpus);
  EXPECT_THAT(plan.groups[0].monitoring, IsEmpty());
}

TEST(MakePlan, lets_the_group_of_an_owner_take_its_cpus_and_moves_others_off) {
  Service db = owning("db", CpuSet{0});
  db.l3 = ways(16);
  const Plan plan = make_plan(policy_of({db}), kMachine, kAmd);
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_TRUE(plan.groups[0].takes_cpus);
  EXPECT_EQ(plan.groups[0].cpus.to_list(), "0-3,16-19");
  ASSERT_EQ(plan.cpusets.size(), 2U);
  EXPECT_EQ(plan.cpusets[0].service, "db");
  EXPECT_EQ(plan.cpusets[1].service, "others");
  EXPECT_EQ(plan.cpusets[1].select.kind, SelectKind::others);
  EXPECT_EQ(plan.cpusets[1].cpus.to_list(), "4-15,20-31");
  EXPECT_TRUE(plan.cpusets[1].memory_nodes.empty());
}

TEST(MakePlan, shrinks_the_default_group_where_others_run_beside_an_owner_of_ways) {
  Service db = with_ways("db", 12, true);
  db.cpus = listed(CpuScope::ccds, CpuSet{0});
  const Plan plan = make_plan(policy_of({db}), kMachine, kAmd);
  ASSERT_EQ(plan.groups.size(), 2U);
  EXPECT_EQ(plan.groups[1].name, "");
  EXPECT_EQ(plan.groups[1].schemata, (Schemata{{Resource::l3, on_ccds({0}, 0xf000)}}));
}

TEST(MakePlan, leaves_the_default_group_alone_where_only_an_owner_of_cpus_runs) {
  Service db = owning("db", CpuSet{0});
  db.l3 = ways(16);
  db.l3_exclusive = true;
  const Plan plan = make_plan(policy_of({db}), kMachine, kAmd);
  EXPECT_EQ(plan.find_group(""), nullptr);
  EXPECT_EQ(plan.groups[0].schemata.at(Resource::l3), on_ccds({0}, 0xffff));
}

TEST(MakePlan, points_at_the_want_that_does_not_fit) {
  Service db = with_ways("db", 8, true);
  Service proxy = with_ways("proxy", 12, true);
  proxy.l3->place = {.line = 7, .column = 9, .pointer = "/services/proxy/l3"};
  try {
    make_plan(policy_of({db, proxy}), kMachine, kAmd);
    FAIL() << "it fits";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::infeasible);
    EXPECT_EQ(error.detail().line, 7U);
    EXPECT_EQ(error.detail().column, 9U);
    EXPECT_EQ(error.detail().pointer, "/services/proxy/l3");
    EXPECT_EQ(error.detail().file, "");
    EXPECT_EQ(error.detail().message,
              "proxy wants 12 of 16 ways of CCD 0 for itself, but db holds 8 exclusively and at least 1 "
              "must be left to others; at most 7 fit");
  }
}

TEST(MakePlan, notes_owned_ways_that_devices_write_to) {
  const Plan plan = make_plan(policy_of({with_ways("db", 11, true)}), kMachine, intel_capabilities(kMachine));
  EXPECT_THAT(plan.notes,
              ElementsAre("db: devices write to ways 400 as well, though the policy wants them for it "
                          "alone"));
}

TEST(MakePlan, takes_no_cpus_for_a_service_of_the_default_group) {
  Service web = service_named("web");
  web.assign = Assign::cpus;
  const Plan plan = make_plan(policy_of({web}), kMachine, kAmd);
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_FALSE(plan.groups[0].takes_cpus);
  EXPECT_THAT(plan.notes,
              ElementsAre("web: it shares the default group, which takes no CPUs: its tasks are moved"));
}

TEST(MakePlan, never_touches_ways_of_a_foreign_group_in_exclusive_mode) {
  Tenants tenants;
  tenants.groups.push_back({.name = "vm1", .cpus = {}, .schemata = {}, .exclusive = true});
  tenants.groups[0].schemata[Resource::l3] = on_ccds({0, 1, 2, 3}, 0xff);
  const Plan plan = make_plan(policy_of({with_ways("web", 8)}), kMachine, kAmd, tenants);
  EXPECT_EQ(plan.groups[0].schemata.at(Resource::l3), on_ccds({0, 1, 2, 3}, 0xff00));
  EXPECT_EQ(message_of([&] { make_plan(policy_of({with_ways("web", 9)}), kMachine, kAmd, tenants); }),
            "web wants 9 of 16 ways of CCD 0, but the foreign group 'vm1' holds mask ff exclusively; at most "
            "8 fit");
}

// What an operator had kept the default group out of stays so; it grows only where nothing would be left to
// it.
TEST(MakePlan, narrows_the_default_group_that_there_is) {
  const Machine machine = regular_machine({});
  Policy policy;
  policy.services = {service_named("web")};
  policy.services[0].l3 = ways(3);
  policy.services[0].l3_exclusive = true;
  Tenants tenants;
  tenants.groups = {
      {.name = "theirs", .schemata = {{Resource::l3, {{CacheId{0}, 0x8000}, {CacheId{1}, 0x8000}}}}}};
  tenants.default_group = {{Resource::l3, {{CacheId{0}, 0xfff}, {CacheId{1}, 0xfff}}}};
  const auto left_to_default = [&] {
    return make_plan(policy, machine, amd_capabilities(machine), tenants)
        .find_group("")
        ->schemata.at(Resource::l3)
        .at(CacheId{1});
  };
  EXPECT_EQ(left_to_default(), 0xff8U);
  policy.services[0].l3 = ways(12);
  EXPECT_EQ(left_to_default(), 0xf000U);
}

}  // namespace
}  // namespace bulkhead
