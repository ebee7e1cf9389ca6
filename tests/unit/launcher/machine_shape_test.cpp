// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/machine_shape.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

TEST(MachineShape, a_9965_as_its_machine_file_has_it) {
  const KernelShape shape = shape_of(load_machine("epyc-9965-nps2"), Generation::linux_6_12);
  EXPECT_EQ(shape.all_cpus(), CpuSet::range(0, 383));
  EXPECT_EQ(shape.all_nodes(), CpuSet::range(0, 1));
  EXPECT_EQ(shape.cpus[192].core, shape.cpus[0].core);
  EXPECT_EQ(shape.cpus[200].l3, 0U);
  EXPECT_EQ(shape.l3->closids, 16U);
  EXPECT_EQ(shape.l3->min_bits, 0U);
  EXPECT_EQ(shape.bandwidth->max, 4096U);
  EXPECT_TRUE(shape.slow_bandwidth.has_value());
  EXPECT_EQ(shape.monitoring->rmids, 4096U);
  EXPECT_FALSE(shape_of(load_machine("epyc-9965-nps2"), Generation::linux_6_1).slow_bandwidth.has_value());
}

TEST(MachineShape, has_what_the_processor_has_and_the_kernel_knows) {
  const auto assignable = [](const char* machine, Generation generation) {
    return shape_of(load_machine(machine), generation).monitoring->assignable_counters;
  };
  EXPECT_EQ(assignable("epyc-9965-nps2", Generation::linux_7), 32U);
  EXPECT_EQ(assignable("epyc-9965-nps2", Generation::linux_6_12), 0U);
  EXPECT_EQ(assignable("epyc-9684x", Generation::linux_7), 0U);
  const auto configurable = [](const char* machine, Generation generation) {
    return shape_of(load_machine(machine), generation).monitoring->configurable_events;
  };
  EXPECT_TRUE(configurable("epyc-9684x", Generation::linux_6_12));
  EXPECT_FALSE(configurable("epyc-9684x", Generation::linux_6_1));
  EXPECT_TRUE(shape_of(load_machine("epyc-9755"), Generation::linux_7).l3->io_allocation);
  EXPECT_FALSE(shape_of(load_machine("epyc-9755"), Generation::linux_6_12).l3->io_allocation);
}

TEST(MachineShape, closids_are_whole_again_where_code_and_data_are_apart) {
  const Host host = load_machine("lab-intel-1socket-cdp");
  const KernelShape shape = shape_of(host, Generation::linux_6_1);
  EXPECT_EQ(shape.mount_options, "cdp");
  EXPECT_EQ(shape.l3->closids, 2 * host.capabilities.l3->closids);
  EXPECT_EQ(shape.l3->min_bits, 1U);
}

TEST(MachineShape, knows_three_kernels) {
  EXPECT_EQ(generation_named("6.1"), Generation::linux_6_1);
  EXPECT_EQ(generation_named("7"), Generation::linux_7);
  EXPECT_THROW(generation_named("5.10"), Error);
}

}  // namespace
}  // namespace bulkhead::sim
