// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/control_commands.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace bulkhead::sim {
namespace {

class ControlCommands : public testing::Test {
 protected:
  std::string tell(const std::string& line) { return run_control_command(host_, line); }
  std::string read(const std::string& path) {
    const Opened opened = host_.open(path, OpenFor::reading, {});
    return opened.error != 0 ? "error " + std::to_string(opened.error) : opened.file->read({}).text;
  }

  SimulatedHost host_{amd_12ccd()};
};

TEST_F(ControlCommands, set_counters_and_break_them) {
  EXPECT_EQ(tell("counter / 3 llc_occupancy 100"), "ok");
  EXPECT_EQ(read("/sys/fs/resctrl/mon_data/mon_L3_03/llc_occupancy"), "6400\n");
  EXPECT_EQ(tell("counter / 3 llc_occupancy unavailable"), "ok");
  EXPECT_EQ(read("/sys/fs/resctrl/mon_data/mon_L3_03/llc_occupancy"), "Unavailable\n");
  EXPECT_EQ(tell("counter / 3 mbm_total_bytes unassigned"), "ok");
  EXPECT_EQ(read("/sys/fs/resctrl/mon_data/mon_L3_03/mbm_total_bytes"), "Unassigned\n");
}

TEST_F(ControlCommands, know_groups_by_path_and_counters_by_rmid) {
  EXPECT_EQ(tell("ids /"), "0 0");
  host_.make_directory("/sys/fs/resctrl/a", {});
  host_.make_directory("/sys/fs/resctrl/a/mon_groups/m", {});
  host_.make_directory("/sys/fs/resctrl/mon_groups/n", {});
  EXPECT_EQ(tell("ids a"), "1 1");
  EXPECT_EQ(tell("ids a/mon_groups/m"), "1 2");
  EXPECT_EQ(tell("ids mon_groups/n"), "0 3");
  EXPECT_EQ(tell("counter rmid=2 0 llc_occupancy 10"), "ok");
  EXPECT_EQ(read("/sys/fs/resctrl/a/mon_groups/m/mon_data/mon_L3_00/llc_occupancy"), "640\n");
  EXPECT_EQ(tell("counter rmid=2 0 llc_occupancy error"), "ok");
  EXPECT_EQ(read("/sys/fs/resctrl/a/mon_groups/m/mon_data/mon_L3_00/llc_occupancy"), "Error\n");
  EXPECT_EQ(tell("ids b"), "error: there is no group 'b'");
  EXPECT_EQ(tell("counter m 0 llc_occupancy 1"), "error: there is no group 'm'");
}

TEST_F(ControlCommands, make_calls_fail_once_or_always) {
  EXPECT_EQ(tell("fault mkdir *resctrl/a ENOSPC Out of CLOSIDs"), "ok");
  EXPECT_EQ(host_.make_directory("/sys/fs/resctrl/a", {}), ENOSPC);
  EXPECT_EQ(read("/sys/fs/resctrl/info/last_cmd_status"), "Out of CLOSIDs\n");
  EXPECT_EQ(host_.make_directory("/sys/fs/resctrl/a", {}), 0);
  EXPECT_EQ(tell("faults rmdir *resctrl/a EBUSY"), "ok");
  EXPECT_EQ(host_.remove_directory("/sys/fs/resctrl/a", {}), EBUSY);
  EXPECT_EQ(host_.remove_directory("/sys/fs/resctrl/a", {}), EBUSY);
  EXPECT_EQ(tell("clear"), "ok");
  EXPECT_EQ(host_.remove_directory("/sys/fs/resctrl/a", {}), 0);
}

TEST_F(ControlCommands, switch_cpus) {
  EXPECT_EQ(tell("offline 5"), "ok");
  EXPECT_EQ(read("/sys/devices/system/cpu/offline"), "5\n");
  EXPECT_EQ(tell("online 5"), "ok");
  EXPECT_EQ(read("/sys/devices/system/cpu/offline"), "\n");
  EXPECT_EQ(tell("offline 0"), "error: CPU 0 cannot be switched");
  EXPECT_EQ(tell("offline 999"), "error: CPU 999 cannot be switched");
}

TEST_F(ControlCommands, act_as_another_program) {
  EXPECT_EQ(tell("mkdir /sys/fs/resctrl/theirs"), "ok");
  EXPECT_EQ(tell("write /sys/fs/resctrl/theirs/schemata L3:0=f\\n"), "ok");
  EXPECT_EQ(read("/sys/fs/resctrl/theirs/schemata").find("L3:0=000f;"),
            read("/sys/fs/resctrl/theirs/schemata").find("L3:"));
  EXPECT_EQ(tell("write /sys/fs/resctrl/theirs/schemata L3:0=1ffff\\n"), "error: EINVAL");
  EXPECT_EQ(tell("rmdir /sys/fs/resctrl/theirs"), "ok");
  EXPECT_EQ(tell("rmdir /sys/fs/resctrl/theirs"), "error: ENOENT");
}

TEST_F(ControlCommands, say_what_they_do_not_understand) {
  EXPECT_EQ(tell(""), "error: no command ''");
  EXPECT_EQ(tell("explode"), "error: no command 'explode'");
  EXPECT_EQ(tell("counter / 3"), "error: counter takes 4 words");
  EXPECT_EQ(tell("counter / x llc_occupancy 1"), "error: 'x' is no number");
  EXPECT_EQ(tell("fault read * EFOO"), "error: 'EFOO' is no errno");
  EXPECT_EQ(tell("fault eat * EIO"), "error: 'eat' is no operation: read, write, mkdir, rmdir, mount");
}

}  // namespace
}  // namespace bulkhead::sim
