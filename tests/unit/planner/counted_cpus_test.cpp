// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/counted_cpus.h"

#include <gtest/gtest.h>

#include "tests/unit/planner/hosts.h"

namespace bulkhead {
namespace {

// CCDs of 4 cores; CPUs 0-15 are first threads, 16-31 second ones; nodes 0 and 1 have two CCDs each.
const Machine kFourCcds = regular_machine({.nodes_per_socket = 2});

std::string chosen(const CpuWant& want, const CpuSet& held = {}) {
  std::vector<CpuHolder> holders;
  if (!held.empty()) holders.push_back({"db", held});
  return counted_cpus(want, kFourCcds, holders, "web").to_list();
}

TEST(CountedCpus, takes_the_lowest_units_of_the_machine) {
  EXPECT_EQ(chosen(counted(CpuScope::ccds, 3)), "0-11,16-27");
  EXPECT_EQ(chosen(counted(CpuScope::nodes, 1)), "0-7,16-23");
  EXPECT_EQ(chosen(counted(CpuScope::sockets, 1)), "0-31");
}

TEST(CountedCpus, fills_the_domain_with_the_fewest_free_units) {
  EXPECT_EQ(chosen(counted(CpuScope::ccds, 1, CpuScope::nodes), CpuSet{8}), "12-15,28-31");
  EXPECT_EQ(chosen(counted(CpuScope::ccds, 2, CpuScope::nodes), CpuSet{8}), "0-7,16-23");
}

TEST(CountedCpus, puts_cores_where_they_leave_whole_ccds) {
  EXPECT_EQ(chosen(counted(CpuScope::cores, 2), CpuSet{8, 9}), "10-11,26-27");
  EXPECT_EQ(chosen(counted(CpuScope::cores, 3), CpuSet{8, 9}), "0-2,16-18");
  EXPECT_EQ(chosen(counted(CpuScope::cores, 6), CpuSet{8, 9}), "0-3,10-11,16-19,26-27");
}

TEST(CountedCpus, takes_a_core_only_with_all_its_threads) {
  EXPECT_EQ(chosen(counted(CpuScope::cores, 1), CpuSet{16}), "1,17");
}

TEST(CountedCpus, takes_single_cpus_from_whole_cores_first_and_then_what_is_left_of_others) {
  EXPECT_EQ(chosen(counted(CpuScope::cpus, 2)), "0,16");
  EXPECT_EQ(chosen(counted(CpuScope::cpus, 3), CpuSet{16}), "0-1,17");
  EXPECT_EQ(chosen(counted(CpuScope::cpus, 3)), "0-1,16");
}

TEST(CountedCpus, says_what_is_free_where_and_who_holds_the_rest) {
  EXPECT_EQ(message_of([] {
              chosen(counted(CpuScope::ccds, 2, CpuScope::nodes), CpuSet{0, 12});
            }),
            "web wants 2 CCDs within a node, but at most 1 fits: each node has 1 free of 2 CCDs; db holds "
            "CPUs 0,12");
  EXPECT_EQ(
      message_of([] { chosen(counted(CpuScope::ccds, 3, CpuScope::nodes), CpuSet{0}); }),
      "web wants 3 CCDs within a node, but at most 2 fit: node 0 has 1 free of 2 CCDs, node 1 has 2 free of "
      "2 CCDs; db holds CPU 0");
  EXPECT_EQ(message_of([] {
              chosen(counted(CpuScope::nodes, 1), CpuSet{0, 12});
            }),
            "web wants 1 node, but none is free: regular has 0 free of 2 nodes; db holds CPUs 0,12");
  EXPECT_EQ(message_of([] { chosen(counted(CpuScope::cores, 17)); }),
            "web wants 17 cores, but at most 16 fit: regular has 16 free of 16 cores");
}

TEST(CountedCpus, takes_cores_without_an_l3_last_and_never_as_ccds) {
  Machine hybrid = kFourCcds;
  for (unsigned cpu = 32; cpu < 36; ++cpu) {
    hybrid.cores.push_back({.cpus = {cpu}, .ccd = {}, .efficiency = 0});
    hybrid.cpus.insert(cpu);
  }
  EXPECT_EQ(counted_cpus(counted(CpuScope::cores, 16), hybrid, {}, "web").to_list(), "0-31");
  EXPECT_EQ(counted_cpus(counted(CpuScope::cores, 17), hybrid, {}, "web").to_list(), "0-32");
  EXPECT_EQ(message_of([&] { counted_cpus(counted(CpuScope::ccds, 5), hybrid, {}, "web"); }),
            "web wants 5 CCDs, but at most 4 fit: regular has 4 free of 4 CCDs");
}

}  // namespace
}  // namespace bulkhead
