// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/mounts.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

TEST(Mounts, reads_type_place_and_options) {
  const auto mounts = parse_mountinfo(
      "21 1 0:19 / /proc rw,relatime - proc proc rw\n"
      "27 22 0:24 / /sys/fs/cgroup rw,relatime shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate\n"
      "28 22 0:25 / /sys/fs/resctrl ro,relatime - resctrl resctrl rw,cdp,mba_MBps\n");
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_EQ(mounts[1].point, "/sys/fs/cgroup");
  EXPECT_EQ(mounts[1].type, "cgroup2");
  EXPECT_EQ(mounts[1].options, "rw,nsdelegate");
  EXPECT_FALSE(mounts[1].read_only);
  EXPECT_EQ(mounts[2].type, "resctrl");
  EXPECT_TRUE(mounts[2].has_option("cdp"));
  EXPECT_TRUE(mounts[2].has_option("mba_MBps"));
  EXPECT_FALSE(mounts[2].has_option("cdpl2"));
  EXPECT_TRUE(mounts[2].read_only) << "the mount may be read-only where the filesystem is not";
}

TEST(Mounts, a_later_mount_hides_an_earlier_one) {
  const auto mounts = parse_mountinfo(
      "27 22 0:24 / /sys/fs/cgroup rw - tmpfs tmpfs ro\n"
      "28 22 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].type, "cgroup2");
}

TEST(Mounts, knows_parts_and_escaped_names) {
  const auto mounts =
      parse_mountinfo("9 1 0:24 /part\\040of\\134it /mnt/a\\040b\\011c rw - cgroup2 none rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].root, "/part of\\it");
  EXPECT_EQ(mounts[0].point, "/mnt/a b\tc");
}

TEST(Mounts, passes_over_what_is_no_mount) {
  for (const char* text : {"", "\n", "garbage", "1 2 3:4 / /x rw", "1 2 3:4 / /x rw - type", "- - - -", "a\\",
                           "1 2 3 4 5 6 -"}) {
    EXPECT_TRUE(parse_mountinfo(text).empty()) << text;
  }
  EXPECT_EQ(parse_mountinfo("1 2 3:4 / /end\\04 rw - t s o")[0].point, "/end\\04");
}

TEST(Mounts, are_those_of_this_process) {
  testing::FixedFileSystem files({{"/proc/self/mountinfo", "21 1 0:19 / /proc rw - proc proc rw\n"}});
  ASSERT_EQ(read_mounts(files).size(), 1U);
  EXPECT_EQ(read_mounts(files)[0].type, "proc");
}

}  // namespace
}  // namespace bulkhead
