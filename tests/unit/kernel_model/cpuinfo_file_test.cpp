// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/cpuinfo_file.h"

#include <gtest/gtest.h>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

// The lines of one CPU, without those that all kinds of a processor share: its flags and what follows.
std::string head_of(unsigned cpu, const std::string& text) {
  const std::string first = "processor\t: " + std::to_string(cpu) + '\n';
  const auto begin = text.find(first);
  return begin == std::string::npos ? "" : text.substr(begin, text.find("\nfpu\t", begin) - begin);
}

std::string flags_of(const KernelShape& shape) {
  const std::string text = cpuinfo_text(shape, shape.all_cpus());
  const auto begin = text.find("flags\t\t: ");
  return text.substr(begin, text.find('\n', begin) - begin) + ' ';
}

TEST(CpuinfoFile, has_each_cpu_of_a_9965) {
  const KernelShape shape = epyc_9965();
  const std::string text = cpuinfo_text(shape, shape.all_cpus());
  EXPECT_EQ(head_of(208, text),
            "processor\t: 208\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 17\n"
            "model name\t: AMD EPYC 9965 192-Core Processor\nstepping\t: 0\nmicrocode\t: 0xb101021\n"
            "cpu MHz\t\t: 2250.000\ncache size\t: 1024 KB\nphysical id\t: 0\nsiblings\t: 384\n"
            "core id\t\t: 16\ncpu cores\t: 192\napicid\t\t: 33\ninitial apicid\t: 33");
  EXPECT_EQ(head_of(384, text), "");
  EXPECT_TRUE(text.ends_with(
      "\nbugs\t\t: sysret_ss_attrs spectre_v1 spectre_v2 spec_store_bypass\nbogomips\t: 4500.00\n"
      "TLB size\t: 192 4K pages\nclflush size\t: 64\ncache_alignment\t: 64\n"
      "address sizes\t: 52 bits physical, 57 bits virtual\n"
      "power management: ts ttp tm hwpstate cpb eff_freq_ro [13] [14]\n\n"));
}

// Linux has the ids of caches from these.
TEST(CpuinfoFile, apic_ids_leave_room_up_to_a_power_of_two) {
  const KernelShape shape = amd_2socket_3ccd();  // L3s 0 to 2 and 4 to 6, of two cores
  const std::string text = cpuinfo_text(shape, shape.all_cpus());
  EXPECT_NE(head_of(11, text).find(
                "physical id\t: 1\nsiblings\t: 12\ncore id\t\t: 5\ncpu cores\t: 6\napicid\t\t: 26\n"),
            std::string::npos);
  EXPECT_NE(head_of(23, text).find("\napicid\t\t: 27\n"), std::string::npos);
}

TEST(CpuinfoFile, flags_are_what_the_host_has_of_resctrl) {
  struct Row {
    KernelShape shape;
    std::string_view has;
    std::string_view lacks;
  };
  const Row rows[] = {
      {epyc_9965(), "lm avx2 cat_l3 cdp_l3 mba cqm rdt_a cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local",
       "cat_l2"},
      {cat_only(), "cat_l3 cdp_l3 rdt_a", "mba cqm cqm_llc cqm_occup_llc cqm_mbm_total cqm_mbm_local"},
      {mba_only(), "mba rdt_a", "cat_l3 cdp_l3 cqm cqm_llc"},
      {mon_only(), "cqm cqm_llc cqm_occup_llc", "cat_l3 cdp_l3 mba rdt_a"},
      {l2_only(), "cat_l2 rdt_a", "cat_l3 cdp_l3 mba cqm"},
      {no_rdt(), "lm avx2", "cat_l3 mba cqm rdt_a cqm_llc cqm_mbm_total"},
  };
  for (const Row& row : rows) {
    const std::string flags = flags_of(row.shape);
    for (const std::string_view flag : split(row.has, ' ')) {
      EXPECT_NE(flags.find(' ' + std::string(flag) + ' '), std::string::npos) << flag << " of " << flags;
    }
    for (const std::string_view flag : split(row.lacks, ' ')) {
      EXPECT_EQ(flags.find(' ' + std::string(flag) + ' '), std::string::npos) << flag << " of " << flags;
    }
  }
}

TEST(CpuinfoFile, an_unknown_processor_is_a_common_one_of_its_vendor) {
  KernelShape shape = amd_12ccd();
  for (const auto& [vendor, name, family] :
       {std::tuple(Vendor::amd, "AMD Something", "25"), std::tuple(Vendor::intel, "Something", "6")}) {
    shape.vendor = vendor;
    shape.processor = name;
    EXPECT_NE(cpuinfo_text(shape, shape.all_cpus()).find("\ncpu family\t: " + std::string(family) + '\n'),
              std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace bulkhead::sim
