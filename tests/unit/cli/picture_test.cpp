// SPDX-License-Identifier: Apache-2.0
// Pictures against files in tests/unit/cli/pictures, which BULKHEAD_UPDATE_GOLDENS=1 writes anew.
#include "controller/cli/picture.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "controller/cli/blocks.h"
#include "controller/cli/plan_report.h"
#include "controller/cli/topology_report.h"
#include "controller/planner/planner.h"
#include "controller/topology/machine_file.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

const std::string kSource = BULKHEAD_SOURCE_DIR;

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_picture(const std::string& name, const std::string& text) {
  const std::string path = kSource + "/tests/unit/cli/pictures/" + name + ".txt";
  if (std::getenv("BULKHEAD_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, content_of(path)) << path;
}

constexpr Style kBoxes{.unicode = true};

std::string topology_of(const std::string& machine, const Style& style = kBoxes) {
  const Host host = load_machine(machine);
  return topology_report(host.machine, host.capabilities, "", style);
}

std::string plan_of(const std::string& policy, const std::string& machine, const Style& style = kBoxes) {
  const std::string file = kSource + "/examples/gen13/" + policy + ".json";
  const Host host = load_machine(machine);
  const Plan plan = make_plan(require_policy(content_of(file), file), host.machine, host.capabilities);
  return plan_report(plan, host.machine, host.capabilities, {}, {}, style);
}

TEST(Picture, of_machines) {
  expect_picture("epyc-9965-nps2", topology_of("epyc-9965-nps2"));
  expect_picture("lab-amd-12ccd-nps2", topology_of("lab-amd-12ccd-nps2"));
  expect_picture("xeon-8380-2s", topology_of("xeon-8380-2s"));
  expect_picture("without-l3-allocation", topology_of("lab-mba-only"));
  expect_picture("code-and-data-apart", topology_of("lab-cdp"));
  expect_picture("ascii", topology_of("lab-amd-12ccd-nps2", {}));
}

TEST(Picture, of_plans) {
  expect_picture("numa-6-of-12", plan_of("numa-6-of-12", "epyc-9965-nps2"));
  expect_picture("pqos-1", plan_of("pqos-1", "epyc-9965-nps2"));
  expect_picture("pqos-3-in-colour",
                 plan_of("pqos-3", "lab-amd-12ccd-192cpu", {.color = true, .unicode = true}));
}

TEST(Picture, of_one_ccd) {
  Machine machine{.name = "one", .cpus = {0, 1}, .ccds = {{.id = {5}, .cpus = {0, 1}, .nodes = {0}}}};
  Capabilities capabilities{.resctrl = true,
                            .l3 = CacheCapability{.closids = 4, .full = {0xf}, .shareable = {0x8}}};
  EXPECT_EQ(draw_machine(machine, capabilities, {}),
            "socket 0, node 0: 1 CCD, 2 CPUs\n"
            "+- CCD 5 --+\n"
            "| s...     |\n"
            "| 0-1      |\n"
            "+----------+\n"
            ". a cache way   s one that devices fill, too\n");
}

TEST(Picture, of_a_machine_without_ccds) {
  EXPECT_EQ(draw_machine({}, {}, {}),
            "no L3 cache that the kernel has an id for: nothing to divide by cache\n");
}

TEST(Picture, of_ways_that_several_groups_or_devices_have) {
  Machine machine{.name = "one", .cpus = {0, 1}, .ccds = {{.id = {0}, .cpus = {0, 1}, .nodes = {0}}}};
  Capabilities capabilities{.resctrl = true,
                            .l3 = CacheCapability{.closids = 4, .full = {0xff}, .shareable = {0xc1}}};
  Plan plan;
  plan.groups = {{.name = "bulkhead.a", .schemata = {{Resource::l3, {{{0}, 0x07}}}}},
                 {.name = "bulkhead.b", .schemata = {{Resource::l3, {{{0}, 0x7c}}}}}};
  plan.services = {{.service = "a", .group = "bulkhead.a", .cpus = {0}},
                   {.service = "b", .group = "bulkhead.b", .cpus = {0, 1}}};
  EXPECT_EQ(draw_plan(plan, machine, capabilities, {}),
            "socket 0, node 0: 1 CCD, 2 CPUs\n"
            "+- CCD 0 --+\n"
            "| sbBBB+Aa |\n"
            "| A 0      |\n"
            "| B 0-1    |\n"
            "+----------+\n"
            "letter: the group whose way it is   +: of several groups   .: of no group of the plan\n"
            "small or s: devices fill it, too\n");
}

// One socket of two nodes of two CCDs of four CPUs each; the plan has one CCD and a half of node 0.
std::string half_planned(const Style& style) {
  Machine machine{.name = "four"};
  for (unsigned id = 0; id < 4; ++id) {
    const unsigned first = 4 * id;
    machine.ccds.push_back({.id = {id}, .cpus = {first, first + 1, first + 2, first + 3}, .nodes = {id / 2}});
  }
  Capabilities capabilities{.resctrl = true, .l3 = CacheCapability{.closids = 4, .full = {0xf}}};
  Plan plan;
  plan.groups = {{.name = "bulkhead.a", .schemata = {{Resource::l3, {{{0}, 0x3}, {{1}, 0x3}}}}}};
  plan.services = {{.service = "a", .group = "bulkhead.a", .cpus = {0, 1, 2, 3, 4, 5}}};
  return draw_plan(plan, machine, capabilities, style);
}

TEST(Picture, counts_the_cpus_of_a_node_and_those_that_are_planned) {
  EXPECT_EQ(half_planned({}),
            "socket 0, node 0: 2 CCDs, 8 CPUs, 6 planned\n"
            "+- CCD 0 --+ +- CCD 1 --+\n"
            "| ..AA     | | ..AA     |\n"
            "| A 0-3    | | A 4-5    |\n"
            "|          | | . 6-7    |\n"
            "+----------+ +----------+\n"
            "\n"
            "socket 0, node 1: 2 CCDs, 8 CPUs, 0 planned\n"
            "+- CCD 2 --+ +- CCD 3 --+\n"
            "| ....     | | ....     |\n"
            "| . 8-11   | | . 12-15  |\n"
            "+----------+ +----------+\n"
            "letter: the group whose way it is   +: of several groups   .: of no group of the plan\n");
}

TEST(Picture, of_ccds_beside_each_other_only_where_there_is_room) {
  EXPECT_EQ(half_planned({.width = 24}).substr(0, 109),
            "socket 0, node 0: 2\n"
            "CCDs, 8 CPUs, 6 planned\n"
            "+- CCD 0 --+\n"
            "| ..AA     |\n"
            "| A 0-3    |\n"
            "+----------+\n"
            "+- CCD 1 --+\n");
}

TEST(Picture, of_a_cache_of_more_ways_than_columns) {
  const Machine machine{.name = "one", .cpus = {0}, .ccds = {{.id = {0}, .cpus = {0}, .nodes = {0}}}};
  const Capabilities capabilities{.resctrl = true,
                                  .l3 = CacheCapability{.closids = 4, .full = {0xfffff}, .shareable = {0x1}},
                                  .cdp = true};
  EXPECT_EQ(draw_machine(machine, capabilities, {.width = 22}),
            "socket 0, node 0: 1\n"
            "CCD, 1 CPU\n"
            "+- CCD 0 ------------+\n"
            "| code ............. |\n"
            "|      ......s       |\n"
            "| data ............. |\n"
            "|      ......s       |\n"
            "| 0                  |\n"
            "+--------------------+\n"
            ". a cache way\n"
            "s one that devices\n"
            "  fill, too\n");
}

TEST(Picture, of_more_ccds_than_their_title_has_room_for) {
  CpuSet ids;
  for (unsigned id = 0; id < 40; id += 2) ids.insert(id);
  const std::vector<Block> blocks{{.place = "node 0", .ids = ids, .lines = {{.group = 0, .cpus = {0}}}}};
  EXPECT_EQ(draw_blocks(blocks, {.width = 30}),
            "node 0: 20 CCDs, 1 CPU\n"
            "+- 20 CCDs -+\n"
            "| A 0       |\n"
            "+-----------+\n");
}

TEST(Picture, folds_what_looks_alike_where_there_is_too_much) {
  std::vector<Block> blocks;
  for (unsigned id = 0; id < 4; ++id) {
    blocks.push_back(
        {.place = id < 3 ? "node 0" : "node 1", .ids = {id}, .lines = {{.group = 0, .cpus = {id}}}});
  }
  EXPECT_EQ(draw_blocks(folded(blocks), {}),
            "node 0: 3 CCDs, 3 CPUs\n"
            "+- CCDs 0-2 -+\n"
            "| A 0-2      |\n"
            "+------------+\n"
            "\n"
            "node 1: 1 CCD, 1 CPU\n"
            "+- CCD 3 ----+\n"
            "| A 3        |\n"
            "+------------+\n");
}

void expect_picture_fits(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
}

TEST(Picture, never_is_wider_than_the_terminal) {
  for (const std::size_t width : {160U, 100U, 80U, 60U, 40U, 24U, 20U}) {
    const Style style{.unicode = true, .width = width};
    for (const std::string machine :
         {"epyc-9965-nps2", "epyc-9965-2p", "xeon-8490h-16s", "epyc-9755", "lab-cdp", "lab-intel-2socket"}) {
      expect_picture_fits(topology_of(machine, style), width);
    }
    for (const std::string policy : {"numa-6-of-12", "pqos-1", "pqos-3"}) {
      expect_picture_fits(plan_of(policy, "epyc-9965-nps2", style), width);
    }
  }
}

TEST(Picture, of_a_plan_on_a_narrow_terminal) {
  expect_picture("numa-6-of-12-at-40",
                 plan_of("numa-6-of-12", "epyc-9965-nps2", {.unicode = true, .width = 40}));
}

}  // namespace
}  // namespace bulkhead
