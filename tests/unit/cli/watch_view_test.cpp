// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/watch_view.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

constexpr std::uint64_t kMib = 1 << 20;

Measured good(double value) {
  return {value, NoData::none};
}

CcdCounters counters(unsigned ccd, Measured occupancy, Measured total) {
  CcdCounters one;
  one.ccd = CacheId{ccd};
  one.readings = {Reading{static_cast<std::uint64_t>(occupancy.value), occupancy.no_data},
                  Reading{1'000'000, NoData::none}, Reading{}};
  one.occupancy = occupancy;
  one.total = total;
  return one;
}

class WatchView : public ::testing::Test {
 protected:
  WatchView() {
    for (const unsigned id : {0U, 1U}) {
      machine_.ccds.push_back({.id = CacheId{id},
                               .cpus = CpuSet::range(id * 2, id * 2 + 1),
                               .l3_bytes = 32 * kMib,
                               .nodes = CpuSet::parse_list("0")});
    }
    found_.policy = found_.plan.policy = "web-first";
    found_.capabilities.l3 = CacheCapability{.closids = 16, .full = WayMask{0xff}};
    found_.plan.groups.push_back(
        {.name = "bulkhead.web", .services = {"web"}, .schemata = {{Resource::l3, {{CacheId{0}, 0xf0}}}}});
    found_.plan.services = {
        {.service = "web", .group = "bulkhead.web", .cpus = CpuSet::parse_list("0-1"), .ccds = {CacheId{0}}},
        {.service = "rest", .group = "", .cpus = CpuSet::parse_list("2-3"), .ccds = {CacheId{1}}}};
    watched_.machine = &machine_;
    watched_.found = &found_;
    watched_.counters.events = {CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes};
    watched_.counters.groups = {
        {"", {counters(0, good(0), good(0)), counters(1, good(3.5 * kMib), good(1.25e9))}},
        {"bulkhead.web",
         {counters(0, good(12.0 * kMib), good(40e9)),
          counters(1, {0, NoData::unavailable}, {0, NoData::unavailable})}},
        {"foreign",
         {counters(0, good(0), {0, NoData::first_sample}), counters(1, good(0), {0, NoData::first_sample})}}};
  }

  Machine machine_;
  Verification found_;
  Watched watched_;
};

TEST_F(WatchView, shows_groups_and_ways) {
  EXPECT_EQ(watch_text(watched_, {.width = 80}),
            "web-first  as planned  1970-01-01T00:00:00Z\n"
            "\n"
            "   group         service  GB/s  local  MiB in L3  no data\n"
            "B  (default)     rest     1.3   -      3.5\n"
            "A  bulkhead.web  web      40.0  -      12.0       unavailable on CCD 1\n"
            "   foreign       -        -     -      0.0\n"
            "\n"
            "socket 0, node 0: 2 CCDs, 4 CPUs\n"
            "+- CCD 0 -------------------+ +- CCD 1 -------------------+\n"
            "| AAAA....                  | | BBBBBBBB                  |\n"
            "| A 12.0/16.0 MiB 40.0 GB/s | | B 3.5 MiB 1.3 GB/s        |\n"
            "+---------------------------+ +---------------------------+\n"
            "letter: the group whose way it is   +: of several groups\n"
            ".: of no group of the plan\n"
            "MiB: what the group's lines fill on that CCD, of what its ways have\n");
}

TEST_F(WatchView, without_a_policy_there_are_counters_all_the_same) {
  watched_.found = nullptr;
  watched_.counters.summed = {CacheId{0}};
  EXPECT_EQ(watch_text(watched_, {.width = 80}),
            "no policy is in force  1970-01-01T00:00:00Z\n"
            "\n"
            "  group         service  GB/s  local  MiB in L3  no data\n"
            "  (default)     -        1.3   -      3.5\n"
            "  bulkhead.web  -        40.0  -      12.0       unavailable on CCD 1\n"
            "  foreign       -        -     -      0.0\n"
            "Sub-NUMA clusters are on: the kernel has summed up the parts of each L3\n");
}

TEST_F(WatchView, says_who_lacks_counters) {
  watched_.unassigned = "bandwidth of bulkhead.web is not counted in full";
  EXPECT_THAT(watch_text(watched_, {.width = 80}),
              ::testing::HasSubstr("\nbandwidth of bulkhead.web is not counted in full\n"));
  EXPECT_EQ(watch_json(watched_).at("uncounted"), watched_.unassigned);
  EXPECT_THAT(counters_text(watch_json(watched_), {.width = 80}),
              ::testing::EndsWith("\nbandwidth of bulkhead.web is not counted in full\n"));
}

TEST_F(WatchView, says_that_something_differs) {
  found_.findings.resize(2);
  EXPECT_THAT(watch_text(watched_, {.width = 80}),
              ::testing::StartsWith("web-first  differs from the plan, see bulkhead verify  "));
}

// As a member of the read group gets it from the daemon.
TEST_F(WatchView, counters_alone_are_the_same_table) {
  const Style style{.width = 80};
  EXPECT_EQ(counters_text(watch_json(watched_), style),
            "web-first  as planned  1970-01-01T00:00:00.000Z\n"
            "\n"
            "  group         service  GB/s  local  MiB in L3  no data\n"
            "  (default)     rest     1.3   -      3.5\n"
            "  bulkhead.web  web      40.0  -      12.0       unavailable on CCD 1\n"
            "  foreign       -        -     -      0.0\n");
  watched_.found = nullptr;
  EXPECT_THAT(counters_text(watch_json(watched_), style),
              ::testing::StartsWith("no policy is in force  1970-01-01T00:00:00.000Z\n\n  group"));
}

TEST_F(WatchView, counters_come_back_from_json) {
  const Snapshot back = snapshot_of(watch_json(watched_).at("groups"));
  EXPECT_EQ(back.events, watched_.counters.events);
  ASSERT_EQ(back.groups.size(), 3U);
  EXPECT_EQ(back.groups[1].ccds[1].total, (Measured{0, NoData::unavailable}));
  EXPECT_EQ(back.groups[1].ccds[0].total, good(40e9));
  EXPECT_EQ(back.groups[2].ccds[0].total.no_data, NoData::first_sample);
  EXPECT_EQ(back.groups[0].ccds[1].occupancy, good(3.5 * kMib));
  EXPECT_EQ(back.groups[0].ccds[1].reading(CounterEvent::mbm_total_bytes),
            (Reading{1'000'000, NoData::none}));
}

TEST_F(WatchView, no_data_is_null_and_named_for_programs) {
  const nlohmann::ordered_json json = watch_json(watched_);
  EXPECT_EQ(
      json.at("groups").at(1).dump(),
      R"({"group":"bulkhead.web","ccds":[)"
      R"({"ccd":0,"llc_occupancy":12582912,"mbm_total_bytes":1000000,"total_bandwidth":40000000000,"no_data":{}},)"
      R"({"ccd":1,"llc_occupancy":null,"mbm_total_bytes":1000000,"total_bandwidth":null,)"
      R"("no_data":{"llc_occupancy":"unavailable","total_bandwidth":"unavailable"}}],"services":["web"]})");
  EXPECT_EQ(json.at("policy"), "web-first");
  EXPECT_EQ(json.at("holds"), true);
  EXPECT_EQ(json.at("interval_seconds"), 1.0);
  EXPECT_TRUE(json.at("uncounted").is_null());
  watched_.found = nullptr;
  EXPECT_TRUE(watch_json(watched_).at("policy").is_null());
}

}  // namespace
}  // namespace bulkhead
