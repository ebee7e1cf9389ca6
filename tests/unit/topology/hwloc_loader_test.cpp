// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/hwloc_loader.h"

#include <functional>
#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

std::string refusal(const std::function<void()>& load) {
  try {
    load();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    return error.detail().message;
  }
  return "accepted";
}

std::string refusal_of_synthetic(const std::string& description) {
  return refusal([&] { load_synthetic_machine(description); });
}

TEST(SyntheticMachine, takes_l3_ids_of_the_description) {
  const Machine machine =
      load_synthetic_machine("pack:2 l3:2(size=1MiB indexes=0,4,8,2) core:2 pu:2(indexes=2*8:8*1)");
  EXPECT_EQ(machine.find_ccd(CacheId{0})->cpus.to_list(), "0-1,8-9");
  EXPECT_EQ(machine.find_ccd(CacheId{2})->cpus.to_list(), "6-7,14-15");
  EXPECT_EQ(machine.find_ccd(CacheId{8})->socket, SocketId{1});
  EXPECT_EQ(machine.cores[3].cpus, (std::vector<unsigned>{3, 11}));
  EXPECT_EQ(machine.vendor, "");
}

TEST(SyntheticMachine, prefers_the_ids_that_it_is_given) {
  const std::vector<CacheId> ids{CacheId{5}, CacheId{6}};
  const Machine machine = load_synthetic_machine("l3:2(indexes=0,1) pu:1", ids);
  EXPECT_EQ(machine.ccds[0].id, CacheId{5});
}

TEST(SyntheticMachine, has_cores_where_the_description_has_none) {
  const Machine machine = load_synthetic_machine("pu:2");
  EXPECT_EQ(machine.cores, (std::vector<Core>{{.cpus = {0}}, {.cpus = {1}}}));
  EXPECT_EQ(machine.sockets, (std::vector<Socket>{{.id = SocketId{0}, .cpus = {0, 1}}}));
}

TEST(SyntheticMachine, keeps_the_nodes_that_are_parts_of_a_socket) {
  const Machine machine = load_synthetic_machine("pack:1 numa:2 core:3 pu:1");
  ASSERT_EQ(machine.nodes.size(), 2U);
  EXPECT_EQ(machine.nodes[0].cpus.to_list(), "0-2");
  EXPECT_EQ(machine.nodes[1].cpus.to_list(), "3-5");
}

TEST(SyntheticMachine, refuses_what_hwloc_refuses) {
  for (const std::string wrong : {"", "bogus:1", "pack:2 pu:0", "pu:2 core:2", "pack:1 pu:2(indexes=0"}) {
    EXPECT_EQ(refusal_of_synthetic(wrong), "hwloc does not understand the description \"" + wrong + '"');
  }
}

TEST(SyntheticMachine, refuses_more_cpus_than_there_can_be) {
  const std::string message = "the description has more CPUs than the 65535 that are possible";
  EXPECT_EQ(refusal_of_synthetic("pack:4 core:20000 pu:1"), message);
  EXPECT_EQ(refusal_of_synthetic("4 20000 1"), message);
  EXPECT_EQ(refusal_of_synthetic("pu:99999999999999999999"), message);
  EXPECT_EQ(refusal_of_synthetic("pu:2(indexes=0,70000)"),
            "the topology has CPU 70000, but CPUs are numbered 0 to 65535");
}

TEST(XmlMachine, refuses_what_hwloc_refuses) {
  const std::string message = "hwloc does not understand the XML; it must be what lstopo writes";
  for (const std::string wrong :
       {"", "<topology/>", "{}", "<?xml version=\"1.0\"?><topology version=\"2.0\"></topology>"}) {
    EXPECT_EQ(refusal([&] { load_xml_machine(wrong); }), message) << wrong;
  }
}

}  // namespace
}  // namespace bulkhead
