// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/placement.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "tests/unit/hardware_model/scenes.h"

namespace bulkhead::sim {
namespace {

TEST(Machine, has_the_caches_nodes_and_siblings_of_the_shape) {
  const Machine machine = machine_of(epyc_9965(2));
  ASSERT_EQ(machine.ccds.size(), 12U);
  EXPECT_EQ(machine.ccds[11].cpus.size(), 32U);
  EXPECT_EQ(machine.ccds[5].node, 0U);
  EXPECT_EQ(machine.ccds[6].node, 1U);
  EXPECT_EQ(machine.ccd_bytes(), 32 << 20);
  EXPECT_EQ(machine.node_bandwidth, 307.2e9);
  EXPECT_EQ(machine.sibling_of_cpu[7], 199U);
  EXPECT_LT(machine.latency(0, 0), machine.latency(0, 1));
}

TEST(Machine, has_cores_without_siblings_and_sockets_far_apart) {
  EXPECT_EQ(machine_of(amd_smt_off()).sibling_of_cpu[0], std::nullopt);
  const Machine two = machine_of(amd_2socket_12ccd());
  EXPECT_EQ(two.node_bandwidth, 614.4e9);
  EXPECT_EQ(two.latency(0, 0), 1);
  EXPECT_EQ(two.latency(0, 1), 1.6);
}

TEST(BandwidthLimit, is_of_the_kernel_s_unit) {
  const Machine amd = machine_of(epyc_9965(2));
  const BandwidthShape eighths{.max = 4096};
  EXPECT_EQ(bandwidth_limit(amd, eighths, 80), 10e9);
  EXPECT_EQ(bandwidth_limit(amd, eighths, 4096), std::numeric_limits<double>::infinity());
  const KernelShape xeon = intel_2socket();
  EXPECT_EQ(bandwidth_limit(machine_of(xeon, {.socket_bandwidth = 300e9}), *xeon.bandwidth, 50), 150e9);
  EXPECT_EQ(bandwidth_limit(machine_of(xeon), *xeon.bandwidth, 100), std::numeric_limits<double>::infinity());
}

TEST(CpuClasses, join_cpus_where_the_same_threads_compete) {
  const Machine machine = small_machine();
  const Placement placement =
      two_crews(unlimited(machine), unlimited(machine), {4, CpuSet{0, 2, 4, 6}}, {2, CpuSet{0, 1, 2, 3}});
  const std::vector<CpuClass> classes = cpu_classes(machine, placement, 2);
  ASSERT_EQ(classes.size(), 3U);  // siblings 1 and 3, then 0 and 2, then 4 and 6 of the other CCD
  EXPECT_EQ(classes[0].weights, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(classes[0].sibling_weights, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(classes[1].weights, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(classes[2].weights, (std::vector<double>{1, 0}));
  EXPECT_EQ(classes[2].ccd, 1U);
  EXPECT_EQ(classes[2].cpus, 2);
}

TEST(CpuClasses, refuse_what_does_not_fit) {
  const Machine machine = small_machine();
  const auto refusal = [&](const Placement& placement) -> std::string {
    try {
      cpu_classes(machine, placement, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "no refusal";
  };
  const std::vector<Control> controls{unlimited(machine)};
  EXPECT_EQ(refusal({.controls = {Control(1)}}), "a control group needs one limit per CCD");
  EXPECT_EQ(refusal({controls, {{.service = 1}}}), "a crew of a service that is not there");
  EXPECT_EQ(refusal({controls, {{.control = 1}}}), "a crew in a control group that is not there");
  EXPECT_EQ(refusal({controls, {{}, {}}}), "two crews of a service under one counted id");
  EXPECT_EQ(refusal({controls, {{.memory_nodes = {2}}}}), "memory on an absent node");
  EXPECT_EQ(refusal({controls, {{.threads = {{1, {8}}}}}}), "threads on an absent CPU");
  EXPECT_EQ(refusal({controls, {{.threads = {{1, {}}}}}}), "no refusal");
}

}  // namespace
}  // namespace bulkhead::sim
