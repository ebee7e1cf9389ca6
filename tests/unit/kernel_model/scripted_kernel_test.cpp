// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/scripted_kernel.h"

#include <cerrno>
#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "tests/support/host_snapshot.h"
#include "tests/support/model_file_system.h"

namespace bulkhead::sim {
namespace {

constexpr char kRoot[] = "/sys/fs/resctrl";

class ScriptedKernelTest : public ::testing::Test {
 protected:
  int write(const std::string& name, std::string_view text) {
    const Handle handle = kernel_.outside().open(std::string(kRoot) + "/" + name, OpenFor::writing);
    return handle.error != 0 ? handle.error : kernel_.write(handle, text);
  }
  std::string read(const std::string& name) {
    return kernel_.outside().read(std::string(kRoot) + "/" + name).text;
  }

  ScriptedKernel kernel_{amd_12ccd()};
};

TEST_F(ScriptedKernelTest, fails_the_operation_of_a_number_once_and_before_its_effect) {
  kernel_.add_fault({.number = 2, .error = EIO});
  EXPECT_EQ(kernel_.make_directory("/sys/fs/resctrl/a"), 0);
  EXPECT_EQ(write("a/cpus_list", "0-1\n"), EIO);
  EXPECT_EQ(read("a/cpus_list"), "\n");
  EXPECT_EQ(write("a/cpus_list", "0-1\n"), 0);
  EXPECT_EQ(read("a/cpus_list"), "0-1\n");
  EXPECT_EQ(kernel_.log_text(),
            "mkdir /sys/fs/resctrl/a -> ok\n"
            "write /sys/fs/resctrl/a/cpus_list 0-1 -> Input/output error\n"
            "write /sys/fs/resctrl/a/cpus_list 0-1 -> ok\n");
}

TEST_F(ScriptedKernelTest, fails_after_the_effect_with_words_of_its_own) {
  kernel_.add_fault({.path = "*/schemata",
                     .text = "L3:0=f*",
                     .error = EINVAL,
                     .status = "Broken hardware",
                     .moment = Moment::after,
                     .always = true});
  EXPECT_EQ(write("schemata", "L3:1=f\n"), 0);
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(write("schemata", "L3:0=f\n"), EINVAL);
    EXPECT_EQ(read("info/last_cmd_status"), "Broken hardware\n");
  }
  EXPECT_NE(read("schemata").find("L3:0=000f;1=000f;2=ffff"), std::string::npos);
}

TEST_F(ScriptedKernelTest, fails_reads_without_counting_them) {
  kernel_.add_fault({.operation = Operation::read, .path = "*/size", .error = EIO});
  testing::ModelFileSystem files(kernel_);
  const auto root = files.open_directory(kRoot);
  try {
    root->read("size");
    FAIL() << "the read did not fail";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot read (/sys/fs/resctrl/size: Input/output error)");
  }
  EXPECT_FALSE(root->read("size").empty());
  EXPECT_TRUE(kernel_.log().empty());
}

TEST_F(ScriptedKernelTest, stops_the_world_before_an_operation) {
  kernel_.stop_at(1, Moment::before);
  EXPECT_THROW(write("schemata", "L3:0=f\n"), Stopped);
  EXPECT_THROW(write("schemata", "L3:0=f\n"), Stopped) << "not even clean-up reaches the kernel";
  kernel_.resume();
  EXPECT_NE(read("schemata").find("L3:0=ffff"), std::string::npos);
  EXPECT_EQ(write("schemata", "L3:0=f\n"), 0);
}

TEST_F(ScriptedKernelTest, stops_the_world_after_an_operation) {
  kernel_.stop_at(1, Moment::after);
  EXPECT_THROW(write("schemata", "L3:0=f\n"), Stopped);
  kernel_.resume();
  EXPECT_NE(read("schemata").find("L3:0=000f"), std::string::npos);
}

TEST_F(ScriptedKernelTest, lets_another_actor_act_just_before_an_operation) {
  kernel_.before(2, [](KernelModel& kernel) { kernel.take_offline(5); });
  EXPECT_EQ(kernel_.make_directory("/sys/fs/resctrl/a"), 0);
  EXPECT_EQ(write("a/cpus_list", "4-5\n"), EINVAL);
  EXPECT_EQ(read("info/last_cmd_status"), "Can only assign online CPUs\n");
  EXPECT_EQ(kernel_.log().size(), 2U);
}

TEST_F(ScriptedKernelTest, snapshot_is_the_same_again_when_a_change_is_undone) {
  const std::string before = testing::snapshot(kernel_.outside());
  EXPECT_EQ(kernel_.make_directory("/sys/fs/resctrl/a"), 0);
  EXPECT_EQ(write("a/cpus_list", "4-5\n"), 0);
  EXPECT_NE(testing::snapshot(kernel_.outside()), before);
  EXPECT_EQ(kernel_.remove_directory("/sys/fs/resctrl/a"), 0);
  EXPECT_EQ(testing::snapshot(kernel_.outside()), before);
}

}  // namespace
}  // namespace bulkhead::sim
