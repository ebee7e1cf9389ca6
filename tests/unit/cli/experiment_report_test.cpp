// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_report.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

ExperimentResult some_result() {
  ExperimentResult result;
  result.verdict = "adopt numa: throughput +15.0 % in 4 blocks";
  result.primary = "throughput";
  ArmResult numa{.arm = "numa", .verdict = ArmVerdict::adopt, .reason = "it is better"};
  numa.estimates = {{.metric = "throughput", .blocks = 4, .change = 0.15, .low = 0.1, .high = 0.2},
                    {.metric = "p99", .blocks = 4, .change = -0.02, .high = 0.01}};
  numa.bands = {{std::nullopt, 0.5, {.metric = "throughput", .blocks = 1, .change = 0.05}},
                {0.5, 0.8, {.metric = "throughput", .blocks = 3, .change = 0.18, .low = 0.1, .high = 0.26}},
                {0.8, std::nullopt, {.metric = "throughput"}}};
  result.candidates = {numa};
  return result;
}

std::string report_of(const ExperimentResult& result) {
  return report_text(result, Style{});
}

TEST(ExperimentReport, has_each_metric_and_each_band_of_load) {
  EXPECT_EQ(report_of(some_result()), R"(adopt numa: throughput +15.0 % in 4 blocks

arm   metric                       blocks  change   low      high
numa  throughput                   4       +15.0 %  +10.0 %  +20.0 %
numa  p99                          4       -2.0 %   -        +1.0 %
numa  throughput, load below 0.5   1       +5.0 %   -        -
numa  throughput, load 0.5 to 0.8  3       +18.0 %  +10.0 %  +26.0 %
numa  throughput, load from 0.8    0       -        -        -

numa: it is better
)");
}

TEST(ExperimentReport, says_what_does_not_count_and_why) {
  ExperimentResult result = some_result();
  result.candidates.clear();
  for (unsigned number = 1; number <= 9; ++number)
    result.blocks.push_back(
        {number, "numa", "ABBA", number == 1 ? "" : "window 2, numa: p99: no data", "numa"});
  result.washout = {2, 0.1, true, "the first half is off"};
  result.remarks = {{3, "the governor has changed"}};
  EXPECT_EQ(report_of(result), R"(adopt numa: throughput +15.0 % in 4 blocks

block 2 does not count: window 2, numa: p99: no data
block 3 does not count: window 2, numa: p99: no data
block 4 does not count: window 2, numa: p99: no data
block 5 does not count: window 2, numa: p99: no data
block 6 does not count: window 2, numa: p99: no data
block 7 does not count: window 2, numa: p99: no data
and 2 more blocks; the result has them all
note: the washout was too short: the first half is off
note: the governor has changed
)");
}

TEST(ExperimentReport, shows_what_a_search_has_measured) {
  ExperimentResult result = some_result();
  result.candidates.clear();
  SearchResult& search = result.search.emplace();
  search.latency = "p99";
  search.latency_limit = 0.05;
  search.combinations = 12;
  search.found = "6 CCDs";
  search.evaluations = {{.point = "4 CCDs", .change = 0.02, .latency = 0.04},
                        {.point = "6 CCDs", .change = 0.15, .latency = 0.05},
                        {.point = "8 CCDs", .change = 0.2, .latency = 0.06},
                        {.point = "10 CCDs", .why_none = "p99 was 1", .failed = true},
                        {.point = "12 CCDs", .why_none = "no answer"}};
  EXPECT_EQ(report_of(result), R"(adopt numa: throughput +15.0 % in 4 blocks

combination  throughput  p99
4 CCDs       +2.0 %      0.04
6 CCDs       +15.0 %     0.05  compared
8 CCDs       +20.0 %     0.06  too much
10 CCDs      -           -     too much
12 CCDs      -           -     no data

5 combinations of 12 measured, a block each; p99 is to stay within 0.05

)");
}

}  // namespace
}  // namespace bulkhead
