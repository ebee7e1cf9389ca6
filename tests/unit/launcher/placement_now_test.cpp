// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/placement_now.h"

#include <gtest/gtest.h>

namespace bulkhead::sim {
namespace {

class PlacementNow : public testing::Test {
 protected:
  PlacementNow() {
    process_ = kernel_.spawn({.name = "web"});
    kernel_.spawn_thread(process_);
  }

  Placement now() {
    const std::vector<unsigned> processes{process_};
    return placement_now(kernel_, machine_, processes);
  }
  void write(const std::string& path, const std::string& text) {
    ASSERT_EQ(kernel_.write(path, text), 0) << path;
  }

  KernelModel kernel_{amd_12ccd()};
  const Machine machine_ = machine_of(amd_12ccd());
  unsigned process_ = 0;
};

TEST_F(PlacementNow, a_fresh_host_limits_nothing) {
  const Placement placement = now();
  ASSERT_EQ(placement.controls.size(), 1U);
  EXPECT_EQ(placement.controls[0], unlimited(machine_));
  ASSERT_EQ(placement.crews.size(), 1U);
  EXPECT_EQ(placement.crews[0].threads, (std::vector<ThreadSet>{{2, CpuSet::range(0, 23)}}));
}

TEST_F(PlacementNow, a_thread_is_limited_by_its_own_group_wherever_it_runs) {
  ASSERT_EQ(kernel_.make_directory("/sys/fs/resctrl/a"), 0);
  write("/sys/fs/resctrl/a/schemata", "L3:0=ff\nMB:0=16\n");
  write("/sys/fs/resctrl/a/tasks", std::to_string(process_) + '\n');
  const Placement placement = now();
  ASSERT_EQ(placement.crews.size(), 2U);  // one thread is in the group, one is not
  const Crew& inside = placement.crews[1];
  EXPECT_EQ(inside.threads, (std::vector<ThreadSet>{{1, CpuSet::range(0, 23)}}));
  EXPECT_EQ(placement.controls[inside.control][0].ways, WayMask{0xff});
  EXPECT_EQ(placement.controls[inside.control][0].bandwidth, 2e9);
  EXPECT_EQ(placement.controls[inside.control][1], unlimited(machine_)[1]);
}

TEST_F(PlacementNow, threads_of_the_default_group_are_in_that_of_their_cpus) {
  ASSERT_EQ(kernel_.make_directory("/sys/fs/resctrl/a"), 0);
  write("/sys/fs/resctrl/a/cpus_list", "0-11\n");
  const Placement placement = now();
  ASSERT_EQ(placement.crews.size(), 2U);
  EXPECT_EQ(placement.crews[0].threads, (std::vector<ThreadSet>{{1, CpuSet::range(12, 23)}}));
  EXPECT_EQ(placement.crews[1].threads, (std::vector<ThreadSet>{{1, CpuSet::range(0, 11)}}));
  EXPECT_NE(placement.crews[0].counted, placement.crews[1].counted);
}

TEST_F(PlacementNow, memory_is_near_the_cpus_unless_it_may_not_be) {
  EXPECT_EQ(now().crews[0].memory_nodes, (CpuSet{0, 1}));
  write("/sys/fs/cgroup/cgroup.subtree_control", "+cpuset\n");
  ASSERT_EQ(kernel_.make_directory("/sys/fs/cgroup/web"), 0);
  write("/sys/fs/cgroup/web/cgroup.procs", std::to_string(process_) + '\n');
  write("/sys/fs/cgroup/web/cpuset.cpus", "12-23\n");
  EXPECT_EQ(now().crews[0].memory_nodes, CpuSet{1});
  write("/sys/fs/cgroup/web/cpuset.mems", "0\n");
  EXPECT_EQ(now().crews[0].memory_nodes, CpuSet{0});
}

TEST_F(PlacementNow, nothing_limits_where_resctrl_is_not_mounted) {
  ASSERT_EQ(kernel_.unmount("/sys/fs/resctrl"), 0);
  const Placement placement = now();
  EXPECT_EQ(placement.controls, std::vector<Control>{unlimited(machine_)});
  ASSERT_EQ(placement.crews.size(), 1U);
  EXPECT_EQ(placement.crews[0].control, 0U);
}

}  // namespace
}  // namespace bulkhead::sim
