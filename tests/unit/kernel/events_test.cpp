// SPDX-License-Identifier: Apache-2.0
// What the kernel tells by itself.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "controller/kernel/file_watch.h"
#include "controller/kernel/netlink_events.h"

namespace bulkhead {
namespace {

using namespace std::string_view_literals;

class FileWatches : public ::testing::Test {
 protected:
  FileWatches() {
    std::string pattern = ::testing::TempDir() + "bulkhead-watch-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileWatches() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name) { std::ofstream(folder_ + '/' + name, std::ios::app) << "x"; }

  std::string folder_;
  FileWatch watch_;
};

TEST_F(FileWatches, tell_of_files_that_matter_and_of_no_others) {
  write("schemata");
  write("memory.current");
  EXPECT_EQ(watch_.watch({folder_, folder_ + "/not-there"}), 1U);
  EXPECT_TRUE(watch_.watches_more());
  EXPECT_EQ(watch_.watch({folder_, folder_ + "/not-there"}), 1U);
  EXPECT_FALSE(watch_.watches_more());
  EXPECT_FALSE(watch_.take());
  write("memory.current");
  EXPECT_FALSE(watch_.take());
  write("schemata");
  EXPECT_TRUE(watch_.take());
  EXPECT_FALSE(watch_.take()) << "it was taken";
}

TEST_F(FileWatches, tell_of_whatever_is_made_and_removed) {
  watch_.watch({folder_});
  std::filesystem::create_directory(folder_ + "/fresh");
  EXPECT_TRUE(watch_.take());
  std::filesystem::remove(folder_ + "/fresh");
  EXPECT_TRUE(watch_.take());
}

TEST_F(FileWatches, are_for_a_directory_and_not_for_a_name) {
  const std::string fresh = folder_ + "/fresh";
  std::filesystem::create_directory(fresh);
  EXPECT_EQ(watch_.watch({fresh}), 1U);
  std::filesystem::remove(fresh);
  EXPECT_TRUE(watch_.take());
  EXPECT_EQ(watch_.watch({fresh}), 0U);
  std::filesystem::create_directory(fresh);
  EXPECT_EQ(watch_.watch({fresh}), 1U);
  write("fresh/tasks");
  EXPECT_TRUE(watch_.take());
}

TEST_F(FileWatches, end_where_they_are_not_wanted_any_more) {
  watch_.watch({folder_});
  EXPECT_EQ(watch_.watch({}), 0U);
  write("tasks");
  EXPECT_FALSE(watch_.take());
}

TEST(FileWatch, knows_the_files_by_which_a_host_can_differ) {
  for (const char* name :
       {"tasks", "schemata", "cpus_list", "cpuset.cpus", "cpuset.cpus.partition", "cgroup.events"})
    EXPECT_TRUE(is_of_interest(name)) << name;
  for (const char* name : {"", "memory.events", "pids.current", "llc_occupancy", "cgroup.freeze"})
    EXPECT_FALSE(is_of_interest(name)) << name;
}

TEST(CpuEvent, is_a_cpu_that_comes_or_goes) {
  EXPECT_TRUE(is_cpu_event("offline@/devices/system/cpu/cpu3\0ACTION=offline\0SUBSYSTEM=cpu\0SEQNUM=9\0"sv));
  EXPECT_TRUE(is_cpu_event("online@/devices/system/cpu/cpu3\0ACTION=online\0SUBSYSTEM=cpu"sv));
  EXPECT_FALSE(is_cpu_event("add@/devices/system/cpu/cpu3\0ACTION=add\0SUBSYSTEM=cpu\0"sv));
  EXPECT_FALSE(is_cpu_event("offline@/devices/memory1\0ACTION=offline\0SUBSYSTEM=memory\0"sv));
  EXPECT_FALSE(is_cpu_event("change@/x\0ACTION=change\0NAME=ACTION=online\0SUBSYSTEM=cpu\0"sv));
  EXPECT_FALSE(is_cpu_event("x\0ACTION=online\0SUBSYSTEM=cpuidle\0"sv));
  EXPECT_FALSE(is_cpu_event(""sv));
}

TEST(NetlinkEvents, nothing_is_told_while_nothing_happens) {
  if (auto cpus = CpuEvents::open()) {
    EXPECT_FALSE(cpus->take());
  }
  if (auto programs = ProgramEvents::open()) {
    bool all_known = true;
    programs->take(all_known);  // other programs start while this runs
    EXPECT_TRUE(all_known);
  }
}

}  // namespace
}  // namespace bulkhead
