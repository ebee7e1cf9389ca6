// SPDX-License-Identifier: Apache-2.0
// The live topology: of kernels that are written out as files, and of the host that runs this test.
#include <fstream>
#include <gtest/gtest.h>

#include "controller/topology/hwloc_loader.h"
#include "controller/topology/machine_file.h"
#include "tests/unit/topology/sysfs_tree.h"

namespace bulkhead {
namespace {

// Two sockets of two CCDs of one core each, siblings N and N+4, L3 ids with a hole and not in order.
std::vector<SysfsCpu> eight_cpus() {
  const std::vector<unsigned> ids{1, 0, 17, 16};
  std::vector<SysfsCpu> cpus;
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    const unsigned core = cpu % 4;
    cpus.push_back({.cpu = cpu,
                    .core = {core, core + 4},
                    .socket = core / 2,
                    .socket_cpus = core < 2 ? CpuSet{0, 1, 4, 5} : CpuSet{2, 3, 6, 7},
                    .l3 = CpuSet{core, core + 4},
                    .cache_id = ids[core]});
  }
  return cpus;
}

const std::vector<SysfsNode> kTwoNodes{{.node = 0, .cpus = {0, 1, 4, 5}, .memory_kib = 1024},
                                       {.node = 1, .cpus = {2, 3, 6, 7}, .memory_kib = 2048}};

Core core_of(std::vector<unsigned> cpus, std::optional<CacheId> ccd) {
  return {.cpus = std::move(cpus), .ccd = ccd, .efficiency = -1};
}

TEST(LiveMachine, takes_l3_ids_from_the_kernel) {
  const SysfsTree tree(eight_cpus(), kTwoNodes);
  const Machine machine = load_live_machine();
  EXPECT_EQ(machine.name, "this host");
  EXPECT_EQ(machine.vendor, "amd");
  EXPECT_EQ(machine.model, "AMD EPYC 9000");
  EXPECT_EQ(machine.cpus.to_list(), "0-7");
  EXPECT_EQ(machine.offline, CpuSet{});
  EXPECT_EQ(machine.cores, (std::vector<Core>{core_of({0, 4}, CacheId{1}), core_of({1, 5}, CacheId{0}),
                                              core_of({2, 6}, CacheId{17}), core_of({3, 7}, CacheId{16})}));
  ASSERT_EQ(machine.ccds.size(), 4U);
  EXPECT_EQ(
      machine.ccds[3],
      (Ccd{.id = CacheId{17}, .cpus = {2, 6}, .l3_bytes = 32U << 20, .nodes = {1}, .socket = SocketId{1}}));
  EXPECT_EQ(machine.nodes,
            (std::vector<Node>{{NodeId{0}, {0, 1, 4, 5}, 1U << 20}, {NodeId{1}, {2, 3, 6, 7}, 2U << 20}}));
  EXPECT_EQ(machine.sockets, (std::vector<Socket>{{SocketId{0}, {0, 1, 4, 5}}, {SocketId{1}, {2, 3, 6, 7}}}));
}

TEST(LiveMachine, knows_cpus_that_are_offline) {
  std::vector<SysfsCpu> cpus = eight_cpus();
  for (const unsigned gone : {0U, 3U, 7U}) cpus[gone].online = false;
  cpus[4].core = cpus[4].l3.emplace(CpuSet{4});
  const SysfsTree tree(cpus, {{.node = 0, .cpus = {1, 4, 5}, .memory_kib = 1024},
                              {.node = 1, .cpus = {2, 6}, .memory_kib = 1}});
  const Machine machine = load_live_machine();
  EXPECT_EQ(machine.cpus.to_list(), "1-2,4-6");
  EXPECT_EQ(machine.offline.to_list(), "0,3,7");
  EXPECT_EQ(machine.cores, (std::vector<Core>{core_of({1, 5}, CacheId{0}), core_of({2, 6}, CacheId{17}),
                                              core_of({4}, CacheId{1})}));
  EXPECT_EQ(machine.find_ccd(CacheId{16}), nullptr);
}

TEST(LiveMachine, leaves_out_l3_caches_that_the_kernel_does_not_number) {
  std::vector<SysfsCpu> cpus = eight_cpus();
  for (SysfsCpu& cpu : cpus) cpu.cache_id.reset();
  const SysfsTree tree(cpus, kTwoNodes);
  const Machine machine = load_live_machine();
  EXPECT_TRUE(machine.ccds.empty());
  EXPECT_EQ(machine.cores.size(), 4U);
  EXPECT_EQ(machine.cores[0], core_of({0, 4}, std::nullopt));
}

TEST(LiveMachine, works_without_l3_caches_and_numa) {
  std::vector<SysfsCpu> cpus = eight_cpus();
  for (SysfsCpu& cpu : cpus) cpu.l3.reset();
  const SysfsTree tree(cpus, {});
  const Machine machine = load_live_machine();
  EXPECT_TRUE(machine.ccds.empty());
  ASSERT_EQ(machine.nodes.size(), 1U);
  EXPECT_EQ(machine.nodes[0].id, NodeId{0});
  EXPECT_EQ(machine.nodes[0].cpus.to_list(), "0-7");
}

TEST(LiveMachine, gives_a_node_of_memory_only_no_cpus) {
  std::vector<SysfsNode> nodes = kTwoNodes;
  nodes.push_back({.node = 4, .cpus = {}, .memory_kib = 4096});
  const SysfsTree tree(eight_cpus(), nodes);
  const Machine machine = load_live_machine();
  ASSERT_EQ(machine.nodes.size(), 3U);
  EXPECT_EQ(machine.nodes[2], (Node{.id = NodeId{4}, .cpus = {}, .memory_bytes = 4U << 20}));
  EXPECT_EQ(machine.nodes[1].cpus.to_list(), "2-3,6-7");
}

TEST(LiveMachine, ranks_kinds_of_cores_by_their_frequency) {
  std::vector<SysfsCpu> cpus = eight_cpus();
  for (SysfsCpu& cpu : cpus) cpu.highest_khz = cpu.core.contains(1) ? 5'800'000 : 4'300'000;
  const SysfsTree tree(cpus, kTwoNodes);
  const Machine machine = load_live_machine();
  EXPECT_EQ(machine.cores[0].efficiency, 0);
  EXPECT_EQ(machine.cores[1].efficiency, 1);
  EXPECT_EQ(machine.cores[2].efficiency, 0);
}

TEST(LiveMachine, takes_cores_that_reach_almost_the_same_frequency_as_alike) {
  std::vector<SysfsCpu> cpus = eight_cpus();
  for (SysfsCpu& cpu : cpus) cpu.highest_khz = cpu.core.contains(1) ? 3'700'000 : 3'650'000;
  const SysfsTree tree(cpus, kTwoNodes);
  EXPECT_EQ(load_live_machine().cores[1].efficiency, -1);
}

TEST(LiveMachine, sees_cpus_beyond_1024) {
  std::vector<SysfsCpu> cpus;
  const CpuSet all{0, 1023, 1024, 2999};
  all.for_each([&](unsigned cpu) {
    cpus.push_back({.cpu = cpu, .core = {cpu}, .socket_cpus = all, .l3 = all, .cache_id = 3});
  });
  const SysfsTree tree(cpus, {{.node = 0, .cpus = all, .memory_kib = 1}});
  const Machine machine = load_live_machine();
  EXPECT_EQ(machine.cores.size(), 4U);
  EXPECT_EQ(machine.find_ccd(CacheId{3})->cpus, all);
}

TEST(LiveMachine, agrees_with_this_hosts_kernel) {
  std::ifstream file("/sys/devices/system/cpu/online");
  std::string online;
  ASSERT_TRUE(std::getline(file, online)) << "this test needs sysfs";
  const Machine machine = load_live_machine();
  EXPECT_EQ(machine.cpus, CpuSet::parse_list(online));
  const Machine again = read_machine_file(write_machine_file({.machine = machine}), "this.json").machine;
  EXPECT_EQ(again, machine);
}

}  // namespace
}  // namespace bulkhead
