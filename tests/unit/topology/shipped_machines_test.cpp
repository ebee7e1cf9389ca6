// SPDX-License-Identifier: Apache-2.0
// Every machine file that is shipped, with the facts that plans rest on.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "controller/topology/machine_file.h"

namespace bulkhead {
namespace {

struct Facts {
  std::string name;
  std::size_t cpus;
  std::size_t cores;
  std::size_t threads;  // of the first core
  std::size_t ccds;
  std::size_t nodes;
  std::size_t sockets;
  unsigned closids;
  std::string first_node;  // its CPUs
  std::string first_ccd;   // its CPUs
  std::string ids;         // of the CCDs
};

const std::vector<Facts>& all_facts() {
  static const std::vector<Facts> facts{
      {"epyc-9654-nps4", 192, 96, 2, 12, 4, 1, 16, "0-23,96-119", "0-7,96-103", "0-11"},
      {"epyc-9684x", 192, 96, 2, 12, 1, 1, 16, "0-191", "0-7,96-103", "0-11"},
      {"epyc-9755", 256, 128, 2, 16, 1, 1, 16, "0-255", "0-7,128-135", "0-15"},
      {"epyc-9845", 320, 160, 2, 10, 1, 1, 16, "0-319", "0-15,160-175", "0-9"},
      {"epyc-9965-2p", 768, 384, 2, 24, 2, 2, 16, "0-191,384-575", "0-15,384-399", "0-11,16-27"},
      {"epyc-9965-cxl", 384, 192, 2, 12, 3, 1, 16, "0-95,192-287", "0-15,192-207", "0-11"},
      {"epyc-9965-l3-numa", 384, 192, 2, 12, 12, 1, 16, "0-15,192-207", "0-15,192-207", "0-11"},
      {"epyc-9965-nps1", 384, 192, 2, 12, 1, 1, 16, "0-383", "0-15,192-207", "0-11"},
      {"epyc-9965-nps2", 384, 192, 2, 12, 2, 1, 16, "0-95,192-287", "0-15,192-207", "0-11"},
      {"epyc-9965-nps2-smt-off", 192, 192, 1, 12, 2, 1, 16, "0-95", "0-15", "0-11"},
      {"epyc-9965-nps4", 384, 192, 2, 12, 4, 1, 16, "0-47,192-239", "0-15,192-207", "0-11"},
      {"hybrid-desktop", 32, 24, 2, 1, 1, 1, 0, "0-31", "0-31", "0"},
      {"lab-amd-12ccd-192cpu", 192, 96, 2, 12, 2, 1, 16, "0-47,96-143", "0-7,96-103", "0-11"},
      {"lab-amd-12ccd-nps1", 24, 12, 2, 12, 1, 1, 16, "0-23", "0-1", "0-11"},
      {"lab-amd-12ccd-nps2", 24, 12, 2, 12, 2, 1, 16, "0-11", "0-1", "0-11"},
      {"lab-amd-2ccd", 8, 4, 2, 2, 2, 1, 16, "0-3", "0-3", "0-1"},
      {"lab-amd-2socket-12ccd", 48, 24, 2, 24, 2, 2, 16, "0-11,24-35", "0,24", "0-11,16-27"},
      {"lab-amd-2socket-3ccd", 24, 12, 2, 6, 2, 2, 16, "0-5,12-17", "0-1,12-13", "0-2,4-6"},
      {"lab-amd-smt-off", 24, 24, 1, 12, 2, 1, 16, "0-11", "0-1", "0-11"},
      {"lab-cat-only", 24, 12, 2, 12, 2, 1, 16, "0-11", "0-1", "0-11"},
      {"lab-cdp", 24, 12, 2, 12, 2, 1, 8, "0-11", "0-1", "0-11"},
      {"lab-few-closids", 24, 12, 2, 12, 2, 1, 4, "0-11", "0-1", "0-11"},
      {"lab-intel-1socket-cdp", 16, 8, 2, 1, 1, 1, 7, "0-15", "0-15", "0"},
      {"lab-intel-2socket", 24, 12, 2, 2, 2, 2, 15, "0-11", "0-11", "0-1"},
      {"lab-l2-only", 8, 8, 1, 1, 1, 1, 4, "0-7", "0-7", "0"},
      {"lab-mba-only", 24, 12, 2, 12, 2, 1, 16, "0-11", "0-1", "0-11"},
      {"lab-mon-only", 24, 12, 2, 12, 2, 1, 0, "0-11", "0-1", "0-11"},
      {"lab-no-rdt", 24, 12, 2, 12, 2, 1, 0, "0-11", "0-1", "0-11"},
      {"xeon-8380-2s", 160, 80, 2, 2, 2, 2, 15, "0-39,80-119", "0-39,80-119", "0-1"},
      {"xeon-8490h-16s", 1920, 960, 2, 16, 16, 16, 15, "0-59,960-1019", "0-59,960-1019", "0-15"},
  };
  return facts;
}

CpuSet ids_of(const Machine& machine) {
  CpuSet ids;
  for (const Ccd& ccd : machine.ccds) ids.insert(ccd.id.value);
  return ids;
}

class ShippedMachines : public testing::TestWithParam<Facts> {};

TEST_P(ShippedMachines, have_the_parts_they_claim) {
  const Facts& facts = GetParam();
  const Host host = load_machine(facts.name);
  const Machine& machine = host.machine;
  EXPECT_EQ(machine.name, facts.name);
  EXPECT_EQ(machine.cpus, CpuSet::range(0, static_cast<unsigned>(facts.cpus - 1)));
  EXPECT_EQ(machine.offline, CpuSet{});
  EXPECT_EQ(machine.cores.size(), facts.cores);
  EXPECT_EQ(machine.cores.front().cpus.size(), facts.threads);
  EXPECT_EQ(machine.ccds.size(), facts.ccds);
  EXPECT_EQ(machine.nodes.size(), facts.nodes);
  EXPECT_EQ(machine.sockets.size(), facts.sockets);
  EXPECT_EQ(machine.nodes.front().cpus.to_list(), facts.first_node);
  EXPECT_EQ(machine.ccds.front().cpus.to_list(), facts.first_ccd);
  EXPECT_EQ(ids_of(machine).to_list(), facts.ids);
  EXPECT_EQ(host.capabilities.closids(), facts.closids);
}

TEST_P(ShippedMachines, are_whole) {
  const Machine machine = load_machine(GetParam().name).machine;
  CpuSet in_ccds;
  for (const Ccd& ccd : machine.ccds) {
    EXPECT_FALSE(in_ccds.intersects(ccd.cpus));
    EXPECT_GT(ccd.l3_bytes, 0U);
    EXPECT_EQ(ccd.nodes.size(), 1U);
    EXPECT_EQ(ccd.nodes, machine.nodes_of(ccd.cpus));
    in_ccds |= ccd.cpus;
  }
  EXPECT_EQ(in_ccds, machine.cpus);
  CpuSet in_sockets;
  for (const Socket& socket : machine.sockets) in_sockets |= socket.cpus;
  EXPECT_EQ(in_sockets, machine.cpus);
  for (const Core& core : machine.cores) {
    ASSERT_TRUE(core.ccd.has_value());
    for (const unsigned cpu : core.cpus) EXPECT_TRUE(machine.find_ccd(*core.ccd)->cpus.contains(cpu));
  }
  for (const Node& node : machine.nodes) EXPECT_GT(node.memory_bytes, 0U);
}

TEST_P(ShippedMachines, survive_being_written_and_read) {
  const Host host = load_machine(GetParam().name);
  const Host again = read_machine_file(write_machine_file(host), "again.json");
  EXPECT_EQ(again.machine, host.machine);
  EXPECT_EQ(again.capabilities, host.capabilities);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedMachines, testing::ValuesIn(all_facts()), [](const auto& instance) {
  std::string name = instance.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(ShippedMachinesList, has_facts_for_every_file) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(BULKHEAD_SOURCE_DIR) + "/examples/machines")) {
    files.push_back(entry.path().stem().string());
  }
  std::ranges::sort(files);
  std::vector<std::string> known;
  for (const Facts& facts : all_facts()) known.push_back(facts.name);
  EXPECT_EQ(files, known);
}

TEST(Epyc9965Nps2, has_six_ccds_in_each_node) {
  const Host host = load_machine("epyc-9965-nps2");
  const Machine& machine = host.machine;
  EXPECT_EQ(machine.vendor, "amd");
  EXPECT_EQ(machine.model, "AMD EPYC 9965 192-Core Processor");
  CpuSet node_0;
  CpuSet node_1;
  for (unsigned id = 0; id < 6; ++id) node_0 |= machine.find_ccd(CacheId{id})->cpus;
  for (unsigned id = 6; id < 12; ++id) node_1 |= machine.find_ccd(CacheId{id})->cpus;
  EXPECT_EQ(node_0.to_list(), "0-95,192-287");
  EXPECT_EQ(node_1.to_list(), "96-191,288-383");
  EXPECT_EQ(machine.find_node(NodeId{0})->cpus, node_0);
  EXPECT_EQ(machine.find_node(NodeId{1})->cpus, node_1);
  EXPECT_EQ(machine.find_node(NodeId{2}), nullptr);
  EXPECT_EQ(machine.find_ccd(CacheId{12}), nullptr);
  EXPECT_EQ(machine.cores[5].cpus, (std::vector<unsigned>{5, 197}));
  EXPECT_EQ(machine.cores[5].ccd, CacheId{0});
  EXPECT_EQ(machine.cores[5].efficiency, -1);
  EXPECT_EQ(machine.ccds[11].cpus.to_list(), "176-191,368-383");
  EXPECT_EQ(machine.ccds[11].l3_bytes, 32U << 20);
}

TEST(Epyc9965Nps2, can_allocate_what_turin_can) {
  const Capabilities capabilities = load_machine("epyc-9965-nps2").capabilities;
  EXPECT_TRUE(capabilities.resctrl);
  EXPECT_EQ(capabilities.mount_options, "");
  EXPECT_FALSE(capabilities.cdp);
  EXPECT_EQ(
      capabilities.l3,
      (CacheCapability{.closids = 16, .full = {0xffff}, .min_ways = 1, .shareable = {0}, .sparse = true}));
  EXPECT_EQ(
      capabilities.memory,
      (BandwidthCapability{
          .closids = 16, .unit = BandwidthUnit::eighth_gb, .min = 0, .granularity = 1, .unlimited = 4096}));
  EXPECT_EQ(capabilities.slow, capabilities.memory);
  EXPECT_EQ(capabilities.l2, std::nullopt);
  EXPECT_EQ(capabilities.monitoring->rmids, 4096U);
  EXPECT_EQ(capabilities.ccd_bandwidth, 51'000'000'000U);
  EXPECT_EQ(capabilities.domains.size(), 12U);
}

TEST(Epyc9654, has_ccds_that_do_not_follow_the_cpus) {
  const Machine machine = load_machine("epyc-9654-nps4").machine;
  const std::vector<unsigned> ids{0, 4, 8, 2, 6, 10, 3, 7, 11, 1, 5, 9};
  for (unsigned block = 0; block < 12; ++block) {
    EXPECT_EQ(machine.cores[block * 8].ccd, CacheId{ids[block]}) << block;
    EXPECT_EQ(machine.find_ccd(CacheId{ids[block]})->nodes, CpuSet{block / 3}) << block;
  }
}

TEST(Epyc9965TwoSockets, keeps_the_hole_in_its_ids) {
  const Host host = load_machine("epyc-9965-2p");
  const Machine& machine = host.machine;
  EXPECT_EQ(machine.find_ccd(CacheId{12}), nullptr);
  EXPECT_EQ(machine.find_ccd(CacheId{16})->socket, SocketId{1});
  EXPECT_EQ(machine.find_ccd(CacheId{16})->cpus.to_list(), "192-207,576-591");
  EXPECT_EQ(host.capabilities.domains.back(), CacheId{27});
}

TEST(Epyc9965Cxl, has_a_node_of_memory_only) {
  const Machine machine = load_machine("epyc-9965-cxl").machine;
  EXPECT_EQ(machine.nodes[2], (Node{.id = NodeId{2}, .cpus = {}, .memory_bytes = std::uint64_t{512} << 30}));
  EXPECT_EQ(machine.nodes_of(machine.cpus), (CpuSet{0, 1}));
}

TEST(HybridDesktop, ranks_its_kinds_of_cores) {
  const Host host = load_machine("hybrid-desktop");
  const Machine& machine = host.machine;
  EXPECT_EQ(machine.cores[7], (Core{.cpus = {14, 15}, .ccd = CacheId{0}, .efficiency = 1}));
  EXPECT_EQ(machine.cores[8], (Core{.cpus = {16}, .ccd = CacheId{0}, .efficiency = 0}));
  EXPECT_EQ(host.capabilities, Capabilities{});
}

TEST(Xeon8380, has_ways_that_devices_share) {
  const Capabilities capabilities = load_machine("xeon-8380-2s").capabilities;
  EXPECT_EQ(capabilities.l3,
            (CacheCapability{
                .closids = 15, .full = {0xfff}, .min_ways = 1, .shareable = {0xc00}, .sparse = false}));
  EXPECT_EQ(
      capabilities.memory,
      (BandwidthCapability{
          .closids = 15, .unit = BandwidthUnit::percent, .min = 10, .granularity = 10, .unlimited = 100}));
}

TEST(LabMachines, differ_in_what_resctrl_offers) {
  EXPECT_FALSE(load_machine("lab-no-rdt").capabilities.resctrl);
  const Capabilities monitoring_only = load_machine("lab-mon-only").capabilities;
  EXPECT_TRUE(monitoring_only.resctrl);
  EXPECT_FALSE(monitoring_only.l3 || monitoring_only.memory);
  EXPECT_EQ(monitoring_only.domains.size(), 12U);
  EXPECT_FALSE(load_machine("lab-cat-only").capabilities.memory.has_value());
  EXPECT_FALSE(load_machine("lab-mba-only").capabilities.l3.has_value());
  EXPECT_EQ(load_machine("lab-few-closids").capabilities.monitoring->rmids, 8U);
  const Capabilities cdp = load_machine("lab-cdp").capabilities;
  EXPECT_TRUE(cdp.cdp);
  EXPECT_EQ(cdp.mount_options, "cdp");
  EXPECT_EQ(cdp.memory->unlimited, 2048U);
}

}  // namespace
}  // namespace bulkhead
