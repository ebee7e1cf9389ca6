// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/machine_file.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

// A file with these members after the obligatory first ones, which take the first two lines.
std::string file_with(const std::string& members) {
  return "{\"bulkhead_machine\": 1,\n\"name\": \"m\", \"vendor\": \"amd\",\n" + members + "}\n";
}

const std::string kFour = R"("topology": {"synthetic": "l3:2(size=1MiB) core:1 pu:2"}, "l3_ids": [3, 1])";

Host read(const std::string& members) {
  return read_machine_file(file_with(members), "m.json");
}

std::string refusal_of_file(const std::string& text) {
  try {
    read_machine_file(text, "m.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    return std::string(error.what()) + " @" + error.detail().pointer;
  }
  return "accepted";
}

std::string refusal_of(const std::string& members) {
  return refusal_of_file(file_with(members));
}

TEST(MachineFile, gives_l3_ids_in_the_order_of_the_cpus) {
  const Machine machine = read(kFour).machine;
  EXPECT_EQ(machine.ccds[0].id, CacheId{1});
  EXPECT_EQ(machine.ccds[0].cpus.to_list(), "2-3");
  EXPECT_EQ(machine.ccds[1].id, CacheId{3});
  EXPECT_EQ(machine.cores[0].ccd, CacheId{3});
}

TEST(MachineFile, takes_offline_cpus_out_of_everything) {
  const Host host = read(kFour + R"(, "offline": "1,2-3", "capabilities": {})");
  const Machine& machine = host.machine;
  EXPECT_EQ(machine.cpus.to_list(), "0");
  EXPECT_EQ(machine.offline.to_list(), "1-3");
  EXPECT_EQ(machine.cores, (std::vector<Core>{{.cpus = {0}, .ccd = CacheId{3}}}));
  ASSERT_EQ(machine.ccds.size(), 1U);
  EXPECT_EQ(machine.ccds[0].cpus.to_list(), "0");
  EXPECT_EQ(machine.nodes[0].cpus.to_list(), "0");
  EXPECT_EQ(machine.sockets[0].cpus.to_list(), "0");
  EXPECT_EQ(host.capabilities.domains, (std::vector<CacheId>{CacheId{3}}));
}

TEST(MachineFile, has_no_resctrl_without_capabilities) {
  EXPECT_EQ(read(kFour).capabilities, Capabilities{});
}

TEST(MachineFile, works_without_l3_caches_nodes_and_sockets) {
  const Host host = read(R"("topology": {"cores": [{"threads": ["1-2"]}]})");
  EXPECT_EQ(host.machine.cores,
            (std::vector<Core>{{.cpus = {1}, .ccd = std::nullopt}, {.cpus = {2}, .ccd = std::nullopt}}));
  EXPECT_TRUE(host.machine.ccds.empty());
  EXPECT_TRUE(host.machine.nodes.empty());
  EXPECT_EQ(host.machine.sockets, (std::vector<Socket>{{.id = SocketId{0}, .cpus = {1, 2}}}));
}

TEST(MachineFile, reads_xml_beside_it) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "beside.xml") << R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000007" allowed_cpuset="0x00000003"
          nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <info name="CPUVendor" value="GenuineIntel"/>
    <info name="CPUModel" value="A Processor "/>
    <object type="NUMANode" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001"
            complete_nodeset="0x00000001" gp_index="2" local_memory="1048576"/>
    <object type="L3Cache" os_index="5" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001"
            complete_nodeset="0x00000001" gp_index="3" cache_size="2097152" depth="3" cache_linesize="64"
            cache_associativity="16" cache_type="0">
      <object type="Core" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001"
              complete_nodeset="0x00000001" gp_index="4">
        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001"
                complete_nodeset="0x00000001" gp_index="5"/>
        <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001"
                complete_nodeset="0x00000001" gp_index="6"/>
      </object>
    </object>
  </object>
</topology>
)";
  const std::string text = R"({"bulkhead_machine": 1, "name": "x", "topology": {"xml": "beside.xml"}})";
  const Machine machine = read_machine_file(text, folder + "x.json").machine;
  EXPECT_EQ(machine.name, "x");
  EXPECT_EQ(machine.vendor, "intel");
  EXPECT_EQ(machine.model, "A Processor");
  EXPECT_EQ(machine.cores, (std::vector<Core>{{.cpus = {0, 1}, .ccd = CacheId{5}}}));
  EXPECT_EQ(machine.ccds[0].l3_bytes, 2097152U);
  EXPECT_EQ(machine.offline.to_list(), "2");
  std::remove((folder + "beside.xml").c_str());
}

TEST(MachineFile, says_which_xml_it_cannot_open) {
  EXPECT_EQ(refusal_of(R"("topology": {"xml": "none.xml"})"),
            "m.json:3:21: cannot open the file (none.xml: No such file or directory) @/topology/xml");
}

TEST(MachineFile, suggests_the_key_that_was_meant) {
  EXPECT_EQ(refusal_of("  \"toplogy\": 1"),
            "m.json:3:14: unknown key \"toplogy\"; did you mean \"topology\"? @/toplogy");
  EXPECT_EQ(refusal_of("\"x\": 1"),
            "m.json:3:6: unknown key \"x\"; there are \"bulkhead_machine\", \"name\", \"vendor\", \"model\", "
            "\"topology\", \"l3_ids\", \"offline\", \"capabilities\" @/x");
}

TEST(MachineFile, places_errors_behind_comments) {
  EXPECT_EQ(refusal_of("// \"a\": 1,\n /* , */ \"offline\" /**/ : // x\n  7,\n" + kFour),
            "m.json:5:3: this must be a string, but it is a number @/offline");
}

TEST(MachineFile, refuses_text_that_is_no_json) {
  EXPECT_EQ(refusal_of_file(""),
            "m.json:1:1: no valid JSON: unexpected end of input; expected '[', '{', or a literal @");
  EXPECT_EQ(refusal_of_file("{\n  \"name\": }"),
            "m.json:2:11: no valid JSON: unexpected '}'; expected '[', '{', or a literal @");
  EXPECT_EQ(refusal_of_file("[]"), "m.json:1:1: this must be an object, but it is an array @");
  EXPECT_EQ(refusal_of_file("{\"name\": \"\xff\"}"),
            "m.json:1:11: no valid JSON: invalid string: ill-formed UTF-8 byte; last read: '\"\xff' @");
}

TEST(MachineFile, refuses_a_key_that_comes_twice) {
  EXPECT_EQ(refusal_of("\"model\": \"a\",\n\"model\": \"b\""),
            "m.json:4:1: the key \"model\" comes a second time @/model");
}

TEST(MachineFile, refuses_what_is_nested_too_deep_or_too_large) {
  EXPECT_EQ(refusal_of_file(std::string(100000, '[')),
            "m.json:1:17: values are nested deeper than 16 levels @/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0");
  EXPECT_EQ(refusal_of_file(std::string((4U << 20) + 1, ' ')),
            "m.json:1:1: the file is larger than 4 MiB, which no machine file needs @");
}

TEST(MachineFile, refuses_another_version) {
  EXPECT_EQ(refusal_of_file("{}"), "m.json:1:1: the key \"bulkhead_machine\" is missing @");
  EXPECT_EQ(refusal_of_file(R"({"bulkhead_machine": 2})"),
            "m.json:1:22: 2 is not a whole number from 1 to 1 @/bulkhead_machine");
}

TEST(MachineFile, refuses_descriptions_that_hwloc_refuses) {
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "bogus:3"})"),
            "m.json:3:27: hwloc does not understand the description \"bogus:3\" @/topology/synthetic");
}

TEST(MachineFile, refuses_l3_caches_without_ids) {
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "l3:2 pu:2"})"),
            "m.json:3:27: the L3 cache of CPUs 0-1 has no id; list the ids of all L3 caches in \"l3_ids\" "
            "@/topology/synthetic");
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "l3:2 pu:2"}, "l3_ids": [1])"),
            "m.json:3:27: 1 L3 id for 2 L3 caches @/topology/synthetic");
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "l3:2 pu:2"}, "l3_ids": [1, 1])"),
            "m.json:3:27: the id of L3 cache 1 is used twice, for CPUs 0-1 and 2-3 @/topology/synthetic");
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "l3:2 pu:2"}, "l3_ids": [1, -1])"),
            "m.json:3:55: an id must be a whole number from 0 to 65535 @/l3_ids/1");
}

TEST(MachineFile, refuses_topologies_in_two_forms) {
  const std::string message =
      "m.json:3:13: the topology must have exactly one of \"synthetic\", \"xml\" and \"cores\" @/topology";
  EXPECT_EQ(refusal_of(R"("topology": {})"), message);
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "pu:1", "cores": []})"), message);
  EXPECT_EQ(refusal_of(R"("topology": {"synthetic": "pu:1", "l3": []})"),
            "m.json:3:41: this goes with \"cores\" only @/topology/l3");
}

TEST(MachineFile, refuses_cores_that_contradict_each_other) {
  EXPECT_EQ(refusal_of(R"("topology": {"cores": [{"threads": ["0-3", "4-6"]}]})"),
            "m.json:3:36: the lists must be of one length, but they have 4 CPUs and 3 CPUs "
            "@/topology/cores/0/threads");
  EXPECT_EQ(refusal_of(R"("topology": {"cores": [{"threads": ["0-3"]}, {"threads": ["3"]}]})"),
            "m.json:3:13: CPU 3 is in more than one core @/topology");
  EXPECT_EQ(refusal_of(R"("topology": {"cores": [{"threads": ["0-x"]}]})"),
            "m.json:3:37: '0-x' is not a number or a range @/topology/cores/0/threads/0");
  EXPECT_EQ(refusal_of(R"("topology": {"cores": []})"),
            "m.json:3:13: the machine has no online CPU @/topology");
}

TEST(MachineFile, refuses_caches_and_nodes_that_contradict_the_cores) {
  const auto with = [](const std::string& parts) {
    return refusal_of(R"("topology": {"cores": [{"threads": ["0-1", "2-3"]}], )" + parts + "}");
  };
  EXPECT_EQ(with(R"("l3": [{"id": 0, "cpus": "0-1", "size": "1 MiB"}])"),
            "m.json:3:13: CPUs 0 and 2 share a core, but not an L3 cache @/topology");
  EXPECT_EQ(with(R"("l3": [{"id": 0, "cpus": "0-4", "size": "1 MiB"}])"),
            "m.json:3:13: L3 cache 0 has CPUs 4, which no core has @/topology");
  EXPECT_EQ(
      with(R"("nodes": [{"id": 0, "cpus": "0-3", "memory": "1"}, {"id": 1, "cpus": "2", "memory": "1"}])"),
      "m.json:3:13: NUMA node 1 has CPUs 2, which another NUMA node has as well @/topology");
  EXPECT_EQ(with(R"("l3": [{"id": 0, "cpus": "0-3", "size": "big"}])"),
            "m.json:3:94: \"big\" is no size; sizes are like \"32 MiB\" @/topology/l3/0/size");
}

TEST(MachineFile, refuses_offline_cpus_that_are_not_there) {
  EXPECT_EQ(refusal_of(kFour + R"(, "offline": "3-5")"),
            "m.json:3:88: the machine has no CPUs 4-5; it has 0-3 @/offline");
  EXPECT_EQ(refusal_of(kFour + R"(, "offline": "0-3")"),
            "m.json:3:13: the machine has no online CPU @/topology");
}

TEST(MachineFile, refuses_impossible_capabilities) {
  const auto with = [](const std::string& parts) {
    return refusal_of(kFour + ",\n\"capabilities\": {" + parts + "}");
  };
  EXPECT_EQ(
      with(R"("l3": {"closids": 16, "mask": "f0"})"),
      "m.json:4:48: the mask must be one run of ways from way 0 on, like \"fff\" @/capabilities/l3/mask");
  EXPECT_EQ(with(R"("l3": {"closids": 16, "mask": "fg"})"),
            "m.json:4:48: \"fg\" is no way mask; it is hexadecimal, like \"fff\" @/capabilities/l3/mask");
  EXPECT_EQ(with(R"("l3": {"closids": 0, "mask": "ff"})"),
            "m.json:4:36: 0 is not a whole number from 1 to 65536 @/capabilities/l3/closids");
  EXPECT_EQ(with(R"("l3": {"closids": 16, "mask": "ff", "shareable": "300"})"),
            "m.json:4:67: the ways 300 are not in the mask ff @/capabilities/l3/shareable");
  EXPECT_EQ(with(R"("memory_bandwidth": {"closids": 16, "unit": "eight_gb", "unlimited": 1})"),
            "m.json:4:62: there is no unit \"eight_gb\"; did you mean \"eighth_gb\"? "
            "@/capabilities/memory_bandwidth/unit");
  EXPECT_EQ(
      with(R"("memory_bandwidth": {"closids": 16, "unit": "gold", "unlimited": 1})"),
      "m.json:4:62: there is no unit \"gold\"; there are \"percent\", \"eighth_gb\" and \"mib_per_second\" "
      "@/capabilities/memory_bandwidth/unit");
  EXPECT_EQ(
      with(R"("ccd_bandwidth": "51")"),
      "m.json:4:35: \"51\" is no bandwidth; bandwidths are like \"51 GB/s\" @/capabilities/ccd_bandwidth");
  EXPECT_EQ(with(R"("cdp": 1)"),
            "m.json:4:25: this must be true or false, but it is a number @/capabilities/cdp");
  EXPECT_EQ(with(R"("domains": [1, 1])"), "m.json:4:29: the ids must ascend @/capabilities/domains");
}

}  // namespace
}  // namespace bulkhead
