// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/pmu.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::FixedFileSystem;

constexpr const char* kParanoid = "/proc/sys/kernel/perf_event_paranoid";
const std::string kDevices = "/sys/bus/event_source/devices/";

Machine machine(const std::string& vendor) {
  Machine machine;
  machine.vendor = vendor;
  machine.cpus = CpuSet::range(0, 7);
  return machine;
}

testing::Files amd_files(const std::string& family, const std::string& model) {
  return {{kDevices + "cpu/type", "4\n"},
          {kDevices + "amd_l3/type", "13\n"},
          {kDevices + "amd_l3/cpumask", "0,4\n"},
          {kParanoid, "2\n"},
          {"/proc/cpuinfo", "processor\t: 0\ncpu family\t: " + family + "\nmodel\t\t: " + model +
                                "\nmodel name\t: AMD 7\n\nprocessor\t: 1\ncpu family\t: 1\n"}};
}

std::string text_of(const std::vector<PmuEvent>& events) {
  std::string text;
  for (const PmuEvent& event : events) {
    text += event.name + ' ' + event.code + ' ' + std::to_string(event.config) + '\n';
  }
  return text;
}

TEST(Pmu, of_zen_5_counts_fills_from_memory_and_the_l3) {
  FixedFileSystem files(amd_files("26", "17"));
  const Pmu pmu = find_pmu(files, machine("amd"));
  EXPECT_EQ(pmu.cores, (std::vector<CorePmu>{{"cpu", 4, CpuSet::range(0, 7)}}));
  EXPECT_EQ(text_of(pmu.service_events),
            "cycles 0x76 118\n"
            "instructions 0xc0 192\n"
            "dram_fills 0x44/0x48 18500\n");
  EXPECT_EQ(pmu.service_lack, "");
  EXPECT_EQ(pmu.l3, (L3Pmu{13, {0, 4}}));
  EXPECT_EQ(text_of(pmu.ccd_events),
            "l3_lookups 0x04/0xff 65284\n"
            "l3_misses 0x04/0x01 260\n");
  EXPECT_EQ(pmu.ccd_lack, "");
  EXPECT_EQ(pmu.paranoid, 2);
}

TEST(Pmu, of_older_zen_has_another_event_for_l3_misses) {
  for (const auto& [family, model, misses] :
       {std::tuple{"23", "49", "0x06/0x01"}, std::tuple{"25", "1", "0x06/0x01"},
        std::tuple{"25", "33", "0x06/0x01"}, std::tuple{"25", "17", "0x04/0x01"},
        std::tuple{"25", "160", "0x04/0x01"}, std::tuple{"26", "2", "0x04/0x01"}}) {
    FixedFileSystem files(amd_files(family, model));
    EXPECT_EQ(find_pmu(files, machine("amd")).ccd_events[1].code, misses) << family << ' ' << model;
  }
}

TEST(Pmu, of_zen_2_has_no_event_for_fills_from_memory) {
  FixedFileSystem files(amd_files("23", "49"));
  const Pmu pmu = find_pmu(files, machine("amd"));
  EXPECT_EQ(text_of(pmu.service_events), "cycles 0x76 118\ninstructions 0xc0 192\n");
  EXPECT_EQ(pmu.service_lack, "what services fill from memory is not counted: that takes Zen 3 or later");
}

TEST(Pmu, of_intel_counts_what_misses_the_l3_and_knows_two_kinds_of_core) {
  FixedFileSystem files({{kDevices + "cpu_core/type", "4\n"},
                         {kDevices + "cpu_core/cpus", "0-3\n"},
                         {kDevices + "cpu_atom/type", "10\n"},
                         {kDevices + "cpu_atom/cpus", "4-7\n"},
                         {kParanoid, "-1\n"}});
  const Pmu pmu = find_pmu(files, machine("intel"));
  EXPECT_EQ(pmu.cores, (std::vector<CorePmu>{{"cpu_core", 4, CpuSet::range(0, 3)},
                                             {"cpu_atom", 10, CpuSet::range(4, 7)}}));
  EXPECT_EQ(text_of(pmu.service_events),
            "cycles 0x3c 60\n"
            "instructions 0xc0 192\n"
            "llc_references 0x2e/0x4f 20270\n"
            "llc_misses 0x2e/0x41 16686\n");
  EXPECT_EQ(pmu.service_lack, "");
  EXPECT_EQ(pmu.l3, std::nullopt);
  EXPECT_EQ(pmu.ccd_lack,
            "lookups and misses are not counted per CCD: that takes the PMU amd_l3 of AMD processors");
  EXPECT_EQ(pmu.paranoid, -1);
}

TEST(Pmu, is_missing_in_a_virtual_machine_and_says_so) {
  FixedFileSystem files({{kDevices + "software/type", "1\n"}, {kParanoid, "2\n"}});
  const Pmu pmu = find_pmu(files, machine("amd"));
  EXPECT_TRUE(pmu.cores.empty());
  EXPECT_TRUE(pmu.service_events.empty());
  EXPECT_TRUE(pmu.ccd_events.empty());
  EXPECT_EQ(pmu.service_lack,
            "cycles, instructions and misses of services are not counted: the kernel shows no performance "
            "counters of CPUs; in a virtual machine the hypervisor has to pass them on");
  EXPECT_EQ(
      pmu.ccd_lack,
      "lookups and misses are not counted per CCD: there is no PMU amd_l3; it takes the kernel's module "
      "amd-uncore, and virtual machines have none");
  FixedFileSystem nothing({{"/proc/version", "Linux"}});
  EXPECT_EQ(find_pmu(nothing, machine("amd")).service_lack, pmu.service_lack);
  EXPECT_EQ(find_pmu(nothing, machine("amd")).paranoid, std::nullopt);
}

TEST(Pmu, of_a_vendor_that_is_not_known_is_left_alone) {
  FixedFileSystem files({{kDevices + "cpu/type", "4\n"}});
  const Pmu pmu = find_pmu(files, machine("zhaoxin"));
  EXPECT_TRUE(pmu.cores.empty());
  EXPECT_TRUE(pmu.service_events.empty());
  EXPECT_EQ(
      pmu.service_lack,
      "cycles, instructions and misses of services are not counted: the events of processors of zhaoxin "
      "are not known");
}

}  // namespace
}  // namespace bulkhead
