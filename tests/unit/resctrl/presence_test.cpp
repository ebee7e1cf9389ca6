// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/resctrl/capabilities_reader.h"
#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::Files;
using testing::FixedFileSystem;

ResctrlPresence found_with(Files files) {
  files.emplace("/proc/self/mountinfo", "");
  files.emplace("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu rdt_a cat_l3 mba sse\n\nflags : cqm\n");
  FixedFileSystem system(std::move(files));
  return find_resctrl(system);
}

TEST(ResctrlPresence, mounted_with_its_options) {
  const auto found = found_with(
      {{"/proc/self/mountinfo", "1 1 0:1 / /sys/fs/resctrl rw - resctrl resctrl rw,cdp,mba_MBps\n"}});
  EXPECT_EQ(found.state, ResctrlState::mounted);
  EXPECT_EQ(found.mount_point, "/sys/fs/resctrl");
  EXPECT_EQ(found.mount_options, "cdp,mba_MBps");
  EXPECT_FALSE(found.read_only);
  EXPECT_EQ(found.explanation, "");
  EXPECT_EQ(found.cpu_flags, (std::vector<std::string>{"rdt_a", "cat_l3", "mba"}));
}

TEST(ResctrlPresence, mounted_elsewhere_or_read_only) {
  EXPECT_EQ(found_with({{"/proc/self/mountinfo", "1 1 0:1 / /mnt/r rw - resctrl r rw\n"}}).mount_point,
            "/mnt/r");
  const auto found = found_with({{"/proc/self/mountinfo", "1 1 0:1 / /sys/fs/resctrl ro - resctrl r rw\n"}});
  EXPECT_TRUE(found.read_only);
  EXPECT_EQ(found.explanation,
            "resctrl is mounted read-only on /sys/fs/resctrl: allow changes with 'mount -o remount,rw "
            "/sys/fs/resctrl'");
}

TEST(ResctrlPresence, not_mounted) {
  const auto found = found_with({{"/proc/filesystems", "nodev\tsysfs\nnodev\tresctrl\n"},
                                 {"/proc/self/cpu_resctrl_groups", "res:\nmon:\n"},
                                 {"/sys/fs/resctrl/", ""}});
  EXPECT_EQ(found.state, ResctrlState::not_mounted);
  EXPECT_EQ(
      found.explanation,
      "resctrl is not mounted: run 'mount -t resctrl resctrl /sys/fs/resctrl', or let bulkhead do it with "
      "--mount");
}

TEST(ResctrlPresence, switched_off) {
  Files files{{"/proc/filesystems", "nodev\tsysfs\n"}, {"/proc/self/cpu_resctrl_groups", "res:\nmon:\n"}};
  EXPECT_EQ(found_with(files).state, ResctrlState::switched_off);
  EXPECT_EQ(
      found_with(files).explanation,
      "the processor has rdt_a cat_l3 mba, but the kernel does not offer resctrl: add "
      "'rdt=l3cat,mba,cmt,mbmtotal,mbmlocal' to the kernel's command line and boot again, or use a newer "
      "kernel");
  files["/proc/cmdline"] = "quiet rdt=!l3cat,!mba root=/dev/sda\n";
  EXPECT_EQ(
      found_with(files).explanation,
      "the processor has rdt_a cat_l3 mba, but the kernel does not offer resctrl: the kernel's command line "
      "says 'rdt=!l3cat,!mba': take that away and boot again");
}

TEST(ResctrlPresence, kernel_without_resctrl) {
  const auto found = found_with({{"/proc/filesystems", "nodev\tsysfs\n"}});
  EXPECT_EQ(found.state, ResctrlState::no_kernel);
  EXPECT_EQ(
      found.explanation,
      "this kernel was built without resctrl, though the processor has rdt_a cat_l3 mba: use a kernel with "
      "CONFIG_X86_CPU_RESCTRL=y");
}

TEST(ResctrlPresence, processor_without_the_feature) {
  const auto found = found_with({{"/proc/cpuinfo", "flags\t: fpu sse\n"}});
  EXPECT_EQ(found.state, ResctrlState::no_feature);
  EXPECT_EQ(
      found.explanation,
      "this processor has no cache or bandwidth control (its flags in cpuinfo lack rdt_a, cat_l3, mba and "
      "cqm): cpusets can still be used; in a virtual machine the hypervisor hides the feature");
  EXPECT_EQ(to_string(found.state), "no_feature");
}

}  // namespace
}  // namespace bulkhead
