// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/trusted_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/daemon/scratch_folder.h"

namespace bulkhead {
namespace {

constexpr uid_t kNobody = 65534;

class TrustedFile : public ScratchFolder {
 protected:
  std::string path_ = write("file", "content");
  std::string refusal(ErrorCode code = ErrorCode::permission) {
    return error_of([&] { read_trusted_file(path_); }, code);
  }
};

TEST_F(TrustedFile, is_read_as_it_is) {
  EXPECT_EQ(read_trusted_file(path_), "content");
  write("file", "");
  EXPECT_EQ(read_trusted_file(path_), "");
}

TEST_F(TrustedFile, is_not_one_that_the_group_or_others_may_write) {
  const std::string why =
      path_ + " may be written by others: make it writable for its owner only (chmod go-w)";
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    ::chmod(path_.c_str(), mode);
    EXPECT_EQ(refusal(), why);
  }
  ::chmod(path_.c_str(), 0755);
  EXPECT_EQ(read_trusted_file(path_), "content");
}

TEST_F(TrustedFile, is_in_no_directory_in_which_others_could_put_another_in_its_place) {
  ::chmod(folder_.c_str(), 0777);
  EXPECT_EQ(refusal(),
            folder_ + " may be written by others: make it writable for its owner only (chmod go-w)");
  ::chmod(folder_.c_str(), 01777);
  EXPECT_EQ(read_trusted_file(path_), "content");
}

TEST_F(TrustedFile, belongs_to_root_or_to_who_reads_it) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(path_.c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(refusal(), path_ + " belongs to user 65534: it must be root's, since it says what root does");
  ASSERT_EQ(::chown(path_.c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(folder_.c_str(), kNobody, kNobody), 0);
  EXPECT_EQ(refusal(), folder_ + " belongs to user 65534: it must be root's, since it says what root does");
  ::chmod(folder_.c_str(), 01777);
  EXPECT_EQ(refusal(), folder_ + " belongs to user 65534: it must be root's, since it says what root does");
}

TEST_F(TrustedFile, is_a_file_and_a_pipe_in_its_place_holds_nobody) {
  ::unlink(path_.c_str());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(ErrorCode::invalid), path_ + " is not a regular file");
  path_ = folder_;
  EXPECT_EQ(refusal(ErrorCode::invalid), path_ + " is not a regular file");
}

TEST_F(TrustedFile, is_of_4_MiB_at_most) {
  const std::string largest(4 << 20, 'x');
  write("file", largest);
  EXPECT_EQ(read_trusted_file(path_), largest);
  write("file", largest + "x");
  EXPECT_EQ(refusal(ErrorCode::invalid), path_ + " is larger than 4 MiB");
}

TEST_F(TrustedFile, is_there) {
  path_ = file("other");
  EXPECT_EQ(refusal(ErrorCode::not_found), "cannot read (" + path_ + ": No such file or directory)");
}

}  // namespace
}  // namespace bulkhead
