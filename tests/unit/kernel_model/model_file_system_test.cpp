// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_file_system.h"

#include <cerrno>
#include <functional>
#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead::testing {
namespace {

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no refusal";
}

class ModelFileSystemTest : public ::testing::Test {
 protected:
  sim::ScriptedKernel kernel_{sim::amd_12ccd()};
  ModelFileSystem files_{kernel_};
  std::unique_ptr<Directory> root_ = files_.open_directory("/sys/fs/resctrl");
};

TEST_F(ModelFileSystemTest, says_what_the_kernel_refused_and_where) {
  EXPECT_EQ(refusal([&] { root_->write("schemata", "L3:0=xyz\nMB:0=1\n"); }),
            "cannot write 'L3:0=xyz MB:0=1' (/sys/fs/resctrl/schemata: Invalid argument)");
  EXPECT_EQ(refusal([&] { root_->open("absent", Access::read); }),
            "cannot open (/sys/fs/resctrl/absent: No such file or directory)");
  EXPECT_EQ(refusal([&] { root_->open("size", Access::write); }),
            "cannot open (/sys/fs/resctrl/size: Permission denied)");
  EXPECT_EQ(refusal([&] { root_->make_directory("info/x"); }),
            "cannot make the directory (/sys/fs/resctrl/info/x: Operation not permitted)");
  EXPECT_EQ(refusal([&] { root_->remove_directory("info"); }),
            "cannot remove the directory (/sys/fs/resctrl/info: Operation not permitted)");
  EXPECT_EQ(refusal([&] { files_.mount("resctrl", "/sys/fs/resctrl", ""); }),
            "cannot mount resctrl (/sys/fs/resctrl: Device or resource busy)");
}

TEST_F(ModelFileSystemTest, notices_that_a_group_was_made_again) {
  root_->make_directory("a");
  const auto group = root_->open_directory("a");
  const auto schemata = group->open("schemata", Access::read_write);
  root_->remove_directory("a");
  root_->make_directory("a");
  EXPECT_EQ(refusal([&] { schemata->read(); }), "cannot read (/sys/fs/resctrl/a/schemata: No such device)");
  EXPECT_EQ(refusal([&] { schemata->write("L3:0=f\n"); }),
            "cannot write 'L3:0=f' (/sys/fs/resctrl/a/schemata: No such device)");
  EXPECT_FALSE(group->exists("schemata"));
  EXPECT_EQ(group->read_if_there("schemata"), std::nullopt);
}

TEST_F(ModelFileSystemTest, has_nothing_of_a_process_that_ended) {
  const unsigned process = kernel_.outside().spawn({.name = "web", .executable = "/usr/bin/web"});
  const auto folder = files_.open_directory("/proc/" + std::to_string(process));
  const auto status = folder->open("status", Access::read);
  EXPECT_EQ(folder->read("comm"), "web\n");
  EXPECT_EQ(folder->read_link("exe"), "/usr/bin/web");
  kernel_.outside().end(process);
  EXPECT_EQ(refusal([&] { status->read(); }),
            "cannot read (/proc/" + std::to_string(process) + "/status: No such process)");
  EXPECT_EQ(folder->read_if_there("comm"), std::nullopt);
}

TEST_F(ModelFileSystemTest, locks_as_flock_does) {
  {
    const auto lock = root_->lock(100);
    EXPECT_EQ(refusal([&] { files_.open_directory("/sys/fs/resctrl")->lock(100); }),
              "another program holds the lock, after 100 ms still: let it finish, or end it (/sys/fs/resctrl)");
  }
  files_.hold_lock("/sys/fs/resctrl");
  EXPECT_THROW(root_->lock(0), Error);
  files_.release_lock("/sys/fs/resctrl");
  EXPECT_NE(root_->lock(0), nullptr);
}

}  // namespace
}  // namespace bulkhead::testing
