// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/resctrl/resctrl_actuator.h"
#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

testing::FixedFileSystem mounted_host() {
  return {{"/proc/cpuinfo", "flags\t\t: cat_l3\n"},
          {"/proc/self/mountinfo", "30 1 0:30 / /sys/fs/resctrl rw - resctrl resctrl rw\n"},
          {"/sys/fs/resctrl/info/L3/num_closids", "16\n"},
          {"/sys/fs/resctrl/info/L3/cbm_mask", "ffff\n"},
          {"/sys/fs/resctrl/info/L3/sparse_masks", "1\n"},
          {"/sys/fs/resctrl/cpus_list", "0-7\n"},
          {"/sys/fs/resctrl/schemata", "L3:0=ffff;1=ffff\n"}};
}

// Files of info/ stay as they are while resctrl is mounted: a change that cannot happen shows that they are
// not read.
TEST(CapabilitiesReader, an_actuator_reads_info_once) {
  testing::FixedFileSystem files = mounted_host();
  ResctrlActuator actuator(files);
  const Capabilities first = actuator.capabilities("amd");
  files.files()["/sys/fs/resctrl/info/L3/num_closids"] = "4\n";
  EXPECT_EQ(first.closids(), 16U);
  EXPECT_EQ(actuator.capabilities("amd"), first);
  EXPECT_EQ(ResctrlActuator(files).capabilities("amd").closids(), 4U);
}

TEST(CapabilitiesReader, both_ways_to_read_say_the_same) {
  testing::FixedFileSystem files = mounted_host();
  ResctrlActuator actuator(files);
  EXPECT_EQ(actuator.capabilities("amd"), read_capabilities(files, actuator.presence(), "amd"));
  EXPECT_EQ(actuator.capabilities("amd").domains, (std::vector<CacheId>{{0}, {1}}));
}

}  // namespace
}  // namespace bulkhead
