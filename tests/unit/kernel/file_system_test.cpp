// SPDX-License-Identifier: Apache-2.0
// The real gateway, on a folder of its own.
#include "controller/kernel/file_system.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;

class FileSystemTest : public ::testing::Test {
 protected:
  FileSystemTest() {
    char name[] = "/tmp/bulkhead-file-system-XXXXXX";
    folder_ = ::mkdtemp(name);
    directory_ = files_->open_directory(folder_);
  }
  ~FileSystemTest() override { std::system(("rm -rf " + folder_).c_str()); }

  void put(const std::string& name, const std::string& text) {
    std::FILE* file = std::fopen((folder_ + '/' + name).c_str(), "w");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }

  std::unique_ptr<FileSystem> files_ = make_linux_file_system();
  std::string folder_;
  std::unique_ptr<Directory> directory_;
};

TEST_F(FileSystemTest, reads_from_the_start_each_time) {
  put("f", "one");
  const auto file = directory_->open("f", Access::read);
  EXPECT_EQ(file->read(), "one");
  put("f", "second");
  EXPECT_EQ(file->read(), "second");
}

TEST_F(FileSystemTest, reads_files_longer_than_its_first_buffer) {
  const std::string text(100'000, 'x');
  put("f", text);
  EXPECT_EQ(directory_->read("f"), text);
  put("exact", std::string(4096, 'y'));
  EXPECT_EQ(directory_->read("exact").size(), 4096U);
}

TEST_F(FileSystemTest, refuses_files_without_end) {
  put("f", "");
  ASSERT_EQ(::truncate((folder_ + "/f").c_str(), static_cast<off_t>(File::kLargestRead) + 1), 0);
  EXPECT_EQ(error_of([&] { directory_->read("f"); }),
            "refused: cannot read (" + folder_ + "/f: File too large)");
}

TEST_F(FileSystemTest, writes_at_the_start_each_time) {
  put("f", "");
  const auto file = directory_->open("f", Access::read_write);
  file->write("abc");
  file->write("X");
  EXPECT_EQ(file->read(), "Xbc");
}

TEST_F(FileSystemTest, a_refused_write_quotes_what_was_written) {
  ASSERT_EQ(::access("/dev/full", W_OK), 0) << "this test needs /dev/full";
  const auto device = files_->open_directory("/dev");
  EXPECT_EQ(error_of([&] { device->write("full", "L3:0=f\nMB:0=8\n"); }),
            "refused: cannot write 'L3:0=f MB:0=8' (/dev/full: No space left on device)");
  EXPECT_EQ(error_of([&] { device->write("full", std::string(500, 'x')); }),
            "refused: cannot write '" + std::string(120, 'x') + "...' (/dev/full: No space left on device)");
}

TEST_F(FileSystemTest, names_the_whole_path_of_what_is_missing) {
  EXPECT_EQ(error_of([&] { directory_->read("absent/file"); }),
            "not_found: cannot open (" + folder_ + "/absent/file: No such file or directory)");
  EXPECT_EQ(error_of([&] { files_->open_directory("/absent-folder"); }),
            "not_found: cannot open (/absent-folder: No such file or directory)");
  EXPECT_EQ(directory_->read_if_there("absent"), std::nullopt);
  EXPECT_EQ(directory_->open_directory_if_there("absent"), nullptr);
  EXPECT_EQ(files_->open_directory_if_there("/absent-folder"), nullptr);
  put("f", "x");
  EXPECT_EQ(directory_->read_if_there("f/below"), std::nullopt) << "ENOTDIR";
}

TEST_F(FileSystemTest, read_if_there_reports_all_other_failures) {
  ASSERT_EQ(::mkdir((folder_ + "/d").c_str(), 0755), 0);
  EXPECT_EQ(error_of([&] { directory_->read_if_there("d"); }),
            "refused: cannot read (" + folder_ + "/d: Is a directory)");
}

TEST_F(FileSystemTest, lists_by_name_and_follows_links_to_folders) {
  put("b", "");
  ASSERT_EQ(::mkdir((folder_ + "/c").c_str(), 0755), 0);
  ASSERT_EQ(::symlink("c", (folder_ + "/a").c_str()), 0);
  ASSERT_EQ(::symlink("gone", (folder_ + "/z").c_str()), 0);
  const std::vector<DirectoryEntry> expected{{"a", true}, {"b", false}, {"c", true}, {"z", false}};
  EXPECT_EQ(directory_->list(), expected);
  EXPECT_EQ(directory_->list(), expected) << "a second time";
  EXPECT_EQ(directory_->read_link("z"), "gone");
  EXPECT_FALSE(directory_->exists("z"));
}

TEST_F(FileSystemTest, makes_and_removes_folders) {
  directory_->make_directory("d");
  EXPECT_TRUE(directory_->exists("d"));
  EXPECT_EQ(error_of([&] { directory_->make_directory("d"); }),
            "refused: cannot make the directory (" + folder_ + "/d: File exists)");
  directory_->make_directory("d/e");
  EXPECT_EQ(error_of([&] { directory_->remove_directory("d"); }),
            "refused: cannot remove the directory (" + folder_ + "/d: Directory not empty)");
  directory_->remove_directory("d/e");
  directory_->remove_directory("d");
  EXPECT_FALSE(directory_->exists("d"));
}

TEST_F(FileSystemTest, keeps_to_the_folder_it_holds_when_the_path_gets_another) {
  directory_->make_directory("d");
  const auto held = directory_->open_directory("d");
  directory_->remove_directory("d");
  directory_->make_directory("d");
  put("d/f", "new");
  EXPECT_EQ(held->read_if_there("f"), std::nullopt);
}

TEST_F(FileSystemTest, only_one_holds_the_lock) {
  const auto other = files_->open_directory(folder_);
  auto lock = directory_->lock(0);
  const std::string holder =
      "conflict: process " + std::to_string(::getpid()) + " (test_kernel) holds the lock";
  EXPECT_EQ(error_of([&] { other->lock(20); }),
            holder + ", after 20 ms still: let it finish, or end it (" + folder_ + ")");
  EXPECT_EQ(error_of([&] { directory_->lock(0); }), holder + " (" + folder_ + ")");
  lock.reset();
  EXPECT_NE(other->lock(0), nullptr);
}

TEST_F(FileSystemTest, a_pipe_in_the_place_of_a_file_is_refused_at_once) {
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { directory_->read("pipe"); }),
            "refused: cannot read (" + folder_ + "/pipe: Illegal seek)");
}

TEST_F(FileSystemTest, a_refused_mount_names_its_target) {
  const std::string message = error_of([&] { files_->mount("no-such-filesystem", folder_, ""); });
  EXPECT_NE(message.find("cannot mount no-such-filesystem (" + folder_ + ": "), std::string::npos) << message;
}

}  // namespace
}  // namespace bulkhead
