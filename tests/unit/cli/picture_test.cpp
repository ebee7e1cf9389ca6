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
  EXPECT_EQ(
      draw_plan(plan, machine, capabilities, {}),
      "socket 0, node 0: 1 CCD, 2 CPUs\n"
      "+- CCD 0 --+\n"
      "| sbBBB+Aa |\n"
      "| A 0      |\n"
      "| B 0-1    |\n"
      "+----------+\n"
      "letter: the group whose way it is   +: of several groups   .: of no group of the plan   small or s: "
      "devices fill it, too\n");
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

TEST(Picture, never_is_wider_than_the_terminal) {
  for (const std::string machine : {"epyc-9965-nps2", "epyc-9965-2p", "xeon-8490h-16s", "epyc-9755"}) {
    std::istringstream lines(topology_of(machine));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100U) << line;
  }
}

}  // namespace
}  // namespace bulkhead
