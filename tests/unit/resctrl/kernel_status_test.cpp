// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/kernel_status.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "controller/resctrl/group_path.h"

namespace bulkhead {
namespace {

TEST(KernelStatus, ok_is_no_detail) {
  EXPECT_EQ(latest_status("ok\n"), "");
  EXPECT_EQ(latest_status(""), "");
}

TEST(KernelStatus, only_the_last_refusal_counts) {
  EXPECT_EQ(latest_status("Can only assign online CPUs\nBad CPU list/mask\n"), "Bad CPU list/mask");
  EXPECT_EQ(latest_status("Out of CLOSIDs\n"), "Out of CLOSIDs");
}

TEST(KernelStatus, a_refusal_in_a_task_list_has_two_lines) {
  const std::string status = latest_status("Bad CPU list/mask\nNo task 12\nError while processing task 12\n");
  EXPECT_EQ(status, "No task 12; Error while processing task 12");
  EXPECT_EQ(task_stopped_at(status), 12U);
  EXPECT_EQ(task_stopped_at("No task 12"), std::nullopt);
  EXPECT_EQ(task_stopped_at("Error while processing task x"), std::nullopt);
}

TEST(KernelStatus, some_refusals_leave_no_words) {
  EXPECT_TRUE(leaves_status(EINVAL));
  EXPECT_TRUE(leaves_status(EBUSY));
  EXPECT_FALSE(leaves_status(EEXIST));
  EXPECT_FALSE(leaves_status(E2BIG));
  EXPECT_FALSE(leaves_status(EACCES));
  EXPECT_FALSE(leaves_status(ENODEV));
}

TEST(GroupPath, tells_control_and_monitoring_groups_apart) {
  EXPECT_FALSE(is_monitoring_path(""));
  EXPECT_FALSE(is_monitoring_path("web"));
  EXPECT_TRUE(is_monitoring_path("mon_groups/m"));
  EXPECT_TRUE(is_monitoring_path("web/mon_groups/m"));
  EXPECT_EQ(control_group_of(""), "");
  EXPECT_EQ(control_group_of("web"), "web");
  EXPECT_EQ(control_group_of("mon_groups/m"), "");
  EXPECT_EQ(control_group_of("web/mon_groups/m"), "web");
  EXPECT_EQ(in_group("", "tasks"), "tasks");
  EXPECT_EQ(in_group("web", "tasks"), "web/tasks");
}

}  // namespace
}  // namespace bulkhead
