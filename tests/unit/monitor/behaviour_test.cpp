// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/behaviour.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace bulkhead {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMib = 1 << 20;

Machine two_ccds() {
  Machine machine;
  for (const unsigned id : {0U, 4U}) {
    machine.ccds.push_back({.id = CacheId{id}, .cpus = CpuSet::range(id, id + 3), .l3_bytes = 32 * kMib});
  }
  return machine;
}

Capabilities amd() {
  Capabilities capabilities;
  capabilities.l3 = CacheCapability{.closids = 16, .full = WayMask{0xffff}};
  capabilities.memory =
      BandwidthCapability{.closids = 16, .unit = BandwidthUnit::eighth_gb, .unlimited = 2048};
  return capabilities;
}

ServiceEffect effect(const std::string& service, const std::string& group, std::vector<CacheId> ccds,
                     const std::string& cpus) {
  ServiceEffect effect;
  effect.service = service;
  effect.group = group;
  effect.ccds = std::move(ccds);
  effect.cpus = CpuSet::parse_list(cpus);
  return effect;
}

// web on CCD 0 with 4 ways and 40 GB/s; the rest everywhere, in the default group.
Plan web_and_rest() {
  Plan plan;
  plan.groups.push_back(
      {.name = "bulkhead.web",
       .services = {"web"},
       .schemata = {{Resource::l3, {{CacheId{0}, 0xf}, {CacheId{4}, 0xffff}}},
                    {Resource::memory_bandwidth, {{CacheId{0}, 320}, {CacheId{4}, 2048}}}}});
  plan.groups.push_back(
      {.name = "", .services = {"rest"}, .schemata = {{Resource::l3, {{CacheId{0}, 0xfff0}}}}});
  plan.services = {effect("web", "bulkhead.web", {CacheId{0}}, "0-3"),
                   effect("rest", "", {CacheId{0}, CacheId{4}}, "4-7")};
  return plan;
}

Snapshot counters(Measured occupancy, Measured total) {
  CcdCounters ccd;
  ccd.ccd = CacheId{0};
  ccd.occupancy = occupancy;
  ccd.total = total;
  return {.groups = {{"bulkhead.web", {ccd}}},
          .events = {CounterEvent::llc_occupancy, CounterEvent::mbm_total_bytes},
          .summed = {}};
}

std::vector<std::string> texts(const std::vector<Judgement>& judgements) {
  std::vector<std::string> all;
  for (const Judgement& one : judgements)
    all.push_back(std::string(to_string(one.verdict)) + ": " + one.message);
  return all;
}

constexpr Measured kLittle{1.0 * kMib, NoData::none};

TEST(Bounds, are_of_each_group_where_its_services_may_run) {
  const auto bounds = bounds_of(web_and_rest(), two_ccds(), amd());
  ASSERT_EQ(bounds.size(), 2U);  // on CCD 4 nothing is planned for the rest
  EXPECT_EQ(bounds[0].group, "bulkhead.web");
  EXPECT_EQ(bounds[0].ccd, CacheId{0});
  EXPECT_EQ(bounds[0].occupancy, 8 * kMib);
  EXPECT_EQ(bounds[0].bandwidth, 40'000'000'000U);
  EXPECT_EQ(bounds[1].group, "");
  EXPECT_EQ(bounds[1].occupancy, 24 * kMib);
  EXPECT_EQ(bounds[1].bandwidth, std::nullopt);
}

TEST(Bounds, code_and_data_fill_the_ways_of_both) {
  Plan plan = web_and_rest();
  plan.groups[0].schemata = {{Resource::l3_code, {{CacheId{0}, 0x7}}},
                             {Resource::l3_data, {{CacheId{0}, 0xc}}}};
  EXPECT_EQ(bounds_of(plan, two_ccds(), amd())[0].occupancy, 8 * kMib);
}

TEST(Bounds, a_percent_is_a_bound_only_where_the_whole_is_known) {
  Capabilities intel = amd();
  intel.memory = BandwidthCapability{.closids = 8, .unit = BandwidthUnit::percent, .unlimited = 100};
  Plan plan = web_and_rest();
  plan.groups[0].schemata[Resource::memory_bandwidth][CacheId{0}] = 30;
  EXPECT_EQ(bounds_of(plan, two_ccds(), intel)[0].bandwidth, std::nullopt);
  intel.ccd_bandwidth = 100'000'000'000;
  EXPECT_EQ(bounds_of(plan, two_ccds(), intel)[0].bandwidth, 30'000'000'000U);
  intel.memory->unit = BandwidthUnit::mib_per_second;
  intel.memory->unlimited = 4'000'000;
  EXPECT_EQ(bounds_of(plan, two_ccds(), intel)[0].bandwidth, 30 * kMib);
}

class JudgeCounters : public ::testing::Test {
 protected:
  std::vector<std::string> judged(Measured occupancy, Measured total,
                                  std::chrono::milliseconds since = seconds(60)) {
    const std::vector<Bound> bounds{
        {.group = "bulkhead.web", .ccd = CacheId{0}, .occupancy = 8 * kMib, .bandwidth = 40'000'000'000}};
    return texts(judge_counters(bounds, counters(occupancy, total), {}, since));
  }
};

TEST_F(JudgeCounters, what_is_within_its_bounds_holds) {
  EXPECT_THAT(judged({8.8 * kMib, NoData::none}, {44e9, NoData::none}),
              ElementsAre("holds: group bulkhead.web on CCD 0 fills 8.8 MiB, its ways have 8.0 MiB",
                          "holds: group bulkhead.web on CCD 0 moves 44.0 GB/s, its limit is 40.0 GB/s"));
}

TEST_F(JudgeCounters, more_than_the_slack_is_violated) {
  EXPECT_THAT(judged({8.81 * kMib, NoData::none}, {44.1e9, NoData::none}),
              ElementsAre("violated: group bulkhead.web on CCD 0 fills 8.8 MiB, its ways have 8.0 MiB",
                          "violated: group bulkhead.web on CCD 0 moves 44.1 GB/s, its limit is 40.0 GB/s"));
}

TEST_F(JudgeCounters, old_lines_are_given_time) {
  const Measured much{20.0 * kMib, NoData::none};
  EXPECT_THAT(
      judged(much, kLittle, seconds(29))[0],
      "not settled: group bulkhead.web on CCD 0 fills 20.0 MiB, its ways have 8.0 MiB; the last change was "
      "29 s ago");
  EXPECT_THAT(judged(much, kLittle, seconds(30))[0],
              "violated: group bulkhead.web on CCD 0 fills 20.0 MiB, its ways have 8.0 MiB");
}

TEST_F(JudgeCounters, no_data_is_neither) {
  EXPECT_THAT(
      judged({0, NoData::error}, {0, NoData::unavailable}),
      ElementsAre(
          "no data: occupancy of group bulkhead.web on CCD 0 is not known: error in the counter",
          "no data: bandwidth of group bulkhead.web on CCD 0 is not known: unavailable in the counter"));
}

TEST(JudgeCountersOf, a_group_that_is_not_there_has_no_data) {
  const std::vector<Bound> bounds{{.group = "bulkhead.gone", .ccd = CacheId{0}, .occupancy = kMib}};
  EXPECT_THAT(
      texts(judge_counters(bounds, counters(kLittle, kLittle), {}, seconds(60))),
      ElementsAre(
          "no data: occupancy of group bulkhead.gone on CCD 0 is not known: not_read in the counter"));
}

TEST(JudgeCountersOf, what_the_host_does_not_count_is_not_judged) {
  Snapshot now = counters(kLittle, kLittle);
  now.events.clear();
  const std::vector<Bound> bounds{
      {.group = "bulkhead.web", .ccd = CacheId{0}, .occupancy = kMib, .bandwidth = 1}};
  EXPECT_THAT(judge_counters(bounds, now, {}, seconds(60)), IsEmpty());
}

TEST(Judgements, come_back_from_json) {
  std::vector<Judgement> judgements;
  for (const Verdict verdict : kVerdicts) {
    judgements.push_back({verdict,
                          "occupancy",
                          {"web", "db"},
                          "bulkhead.web",
                          CacheId{7},
                          "at most 4.0 MiB",
                          "9 MiB",
                          "all of it"});
  }
  judgements.back().ccd.reset();
  EXPECT_EQ(judgements_of(judgements_json(judgements)), judgements);
}

TEST(JudgeThreads, says_where_each_service_ran) {
  Plan plan = web_and_rest();
  plan.services[0].exclusive_cpus = true;
  EXPECT_THAT(texts(judge_threads(plan, {{11, "nginx", "web", 2}, {12, "nginx", "web", 3}})),
              ElementsAre("holds: web ran on its CPUs alone (2 threads)",
                          "holds: nobody else ran on the CPUs of web"));
  const std::vector<RanThread> ran{{11, "nginx", "web", 5}, {12, "nginx", "web", 6}, {13, "nginx", "web", 7},
                                   {14, "nginx", "web", 4}, {15, "nginx", "web", 0}, {20, "cron", "", 1},
                                   {21, "bulk", "rest", 2}};
  EXPECT_THAT(
      texts(judge_threads(plan, ran)),
      ElementsAre(
          "violated: web should run on CPUs 0-3; thread 11 (nginx) on CPU 5, 12 (nginx) on CPU 6, 13 (nginx) "
          "on CPU 7 and 1 more did not",
          "violated: the CPUs of web are its own; thread 20 (cron) on CPU 1, 21 (bulk) on CPU 2 ran there",
          "violated: rest should run on CPUs 4-7; thread 21 (bulk) on CPU 2 did not"));
}

}  // namespace
}  // namespace bulkhead
