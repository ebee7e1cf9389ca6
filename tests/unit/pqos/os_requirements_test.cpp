// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/os_requirements.h"

#include <gtest/gtest.h>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;

class OsRequirements : public ::testing::Test {
 protected:
  std::string refusal(bool in_force = false) {
    return error_of(
        [&] { refuse_for_pqos_os(files_, presence_, machine_, capabilities_, groups_, in_force); });
  }

  testing::FixedFileSystem files_{{"/r/schemata", "L3:0=ffff\n"}};
  ResctrlPresence presence_{.state = ResctrlState::mounted, .mount_point = "/r"};
  Machine machine_{.vendor = "amd", .ccds = {{.id = CacheId{0}}, {.id = CacheId{31}}}};
  Capabilities capabilities_{
      .resctrl = true, .memory = BandwidthCapability{.unit = BandwidthUnit::eighth_gb, .unlimited = 2048}};
  std::vector<ObservedGroup> groups_{{.name = ""}};
};

TEST_F(OsRequirements, a_host_with_nothing_on_it_will_do) {
  EXPECT_EQ(refusal(), "");
}

TEST_F(OsRequirements, resctrl_must_be_mounted) {
  presence_ = {.state = ResctrlState::not_mounted, .explanation = "it is not mounted"};
  EXPECT_EQ(refusal(),
            "unsupported: libpqos would mount resctrl, and nothing else knows of it then: it is not mounted");
}

TEST_F(OsRequirements, no_other_group_may_be_there) {
  groups_.push_back({.name = "bulkhead.web"});
  EXPECT_EQ(refusal(),
            "conflict: libpqos takes every CLOSID, and bulkhead.web holds one: remove what is not needed "
            "(rmdir), or use --actuator resctrl");
  groups_.push_back({.name = "p1"});
  EXPECT_EQ(refusal(),
            "conflict: libpqos takes every CLOSID, and bulkhead.web, p1 hold some: remove what is not "
            "needed (rmdir), or use --actuator resctrl");
}

TEST_F(OsRequirements, its_own_groups_may_be_there_only_where_we_had_it_make_them) {
  groups_.push_back({.name = "COS1"});
  EXPECT_EQ(refusal(),
            "conflict: libpqos takes every CLOSID, and COS1 holds one: remove what is not needed (rmdir), "
            "or use --actuator resctrl");
  EXPECT_EQ(refusal(true), "");
  groups_.push_back({.name = "COS01"});
  EXPECT_NE(refusal(true), "");
}

TEST_F(OsRequirements, io_must_hold_no_closid) {
  files_.files()["/r/info/L3/io_alloc"] = "disabled\n";
  EXPECT_EQ(refusal(), "");
  files_.files()["/r/info/L3/io_alloc"] = "enabled\n";
  EXPECT_EQ(refusal(),
            "conflict: libpqos takes every CLOSID, and I/O has one (info/L3/io_alloc is enabled): disable "
            "it, or use --actuator resctrl");
}

TEST_F(OsRequirements, bandwidth_must_be_of_a_kind_that_it_knows) {
  capabilities_.memory->unlimited = 4096;
  EXPECT_EQ(refusal(),
            "unsupported: the machine's unlimited bandwidth is 4096, and libpqos takes values above 2048 for "
            "another "
            "unit: use --actuator resctrl");
  capabilities_.memory->unit = BandwidthUnit::mib_per_second;
  EXPECT_EQ(refusal(),
            "unsupported: resctrl is mounted with mba_MBps, which libpqos finds out by writing: mount it "
            "without, or use --actuator resctrl");
  capabilities_.memory->unit = BandwidthUnit::percent;
  EXPECT_EQ(refusal(), "");
}

TEST_F(OsRequirements, l3_ids_must_be_those_that_it_takes_them_for) {
  machine_.ccds.push_back({.id = CacheId{32}});
  EXPECT_EQ(refusal(),
            "unsupported: libpqos mistakes L3 ids from 32 on, and this machine has 32: use "
            "--actuator resctrl");
  machine_ = {.vendor = "intel",
              .ccds = {{.id = CacheId{0}, .socket = SocketId{0}}, {.id = CacheId{1}, .socket = SocketId{1}}}};
  EXPECT_EQ(refusal(), "");
  machine_.ccds[1].socket = SocketId{0};
  EXPECT_EQ(refusal(),
            "unsupported: libpqos addresses an L3 by its socket, and here L3 1 is on socket 0: use "
            "--actuator resctrl");
}

}  // namespace
}  // namespace bulkhead
