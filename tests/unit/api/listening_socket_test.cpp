// SPDX-License-Identifier: Apache-2.0
#include "controller/api/listening_socket.h"

#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "tests/unit/api/raw_caller.h"

namespace bulkhead {
namespace {

class Listening : public testing::Test {
 protected:
  void TearDown() override {
    ::unlink(path_.c_str());
    ::rmdir(directory_.c_str());
    ::rmdir(parent_.c_str());
  }
  struct stat status() const {
    struct stat there {};
    EXPECT_EQ(::lstat(path_.c_str(), &there), 0);
    return there;
  }
  static std::string error_of(const SocketOptions& options) try {
    const ListeningSocket listening(options);
    return "none";
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }

  std::string parent_ = [] {
    std::string pattern = "/tmp/bulkhead-socket-XXXXXX";
    return std::string(::mkdtemp(pattern.data()));
  }();
  std::string directory_ = parent_ + "/run";
  std::string path_ = directory_ + "/api.sock";
};

TEST_F(Listening, makes_the_directory_and_the_file_with_its_rights_and_removes_the_file) {
  {
    const ListeningSocket listening({.path = path_, .mode = 0640, .group = ::getgid()});
    EXPECT_EQ(status().st_mode & 07777, 0640U);
    EXPECT_EQ(status().st_gid, ::getgid());
    EXPECT_TRUE(RawCaller().connect(path_));
  }
  EXPECT_FALSE(RawCaller().connect(path_));
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  EXPECT_NE(::access((path_ + ".new").c_str(), F_OK), 0);
}

TEST_F(Listening, replaces_the_file_of_a_daemon_that_has_died) {
  {
    const ListeningSocket died({.path = path_});
    ASSERT_EQ(::link(path_.c_str(), (path_ + ".copy").c_str()), 0);
  }
  ASSERT_EQ(::rename((path_ + ".copy").c_str(), path_.c_str()), 0);
  ASSERT_FALSE(RawCaller().connect(path_));
  const ListeningSocket listening({.path = path_});
  EXPECT_TRUE(RawCaller().connect(path_));
}

TEST_F(Listening, leaves_what_is_in_use) {
  const ListeningSocket first({.path = path_});
  const auto before = status();
  EXPECT_EQ(error_of({.path = path_}), "conflict: a daemon listens on " + path_ + " already");
  EXPECT_EQ(status().st_ino, before.st_ino);
  EXPECT_TRUE(RawCaller().connect(path_));
}

TEST_F(Listening, leaves_what_is_no_socket) {
  ASSERT_EQ(::mkdir(directory_.c_str(), 0755), 0);
  std::ofstream(path_) << "precious";
  EXPECT_EQ(error_of({.path = path_}), "conflict: " + path_ + " is there, and is no socket");
  EXPECT_EQ(status().st_size, 8);
}

TEST_F(Listening, leaves_the_file_that_somebody_else_put_in_its_place) {
  auto first = std::make_unique<ListeningSocket>(SocketOptions{.path = path_});
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  const ListeningSocket second({.path = path_});
  first.reset();
  EXPECT_TRUE(RawCaller().connect(path_));
}

TEST_F(Listening, says_what_is_wrong_with_a_path) {
  EXPECT_EQ(
      error_of({.path = parent_ + "/no/such/api.sock"}),
      "not_found: cannot make the socket's directory (" + parent_ + "/no/such: No such file or directory)");
  const std::string deep = directory_ + '/' + std::string(100, 'x');
  EXPECT_EQ(error_of({.path = deep}),
            "invalid: the path of a socket has at most 107 bytes, unlike " + deep + ".new");
}

TEST_F(Listening, takes_a_socket_that_was_passed_in_and_leaves_its_file) {
  ASSERT_EQ(::mkdir(directory_.c_str(), 0755), 0);
  UniqueFd passed(::socket(AF_UNIX, SOCK_STREAM, 0));
  const SocketAddress address(path_);
  ASSERT_EQ(::bind(passed.get(), address.get(), address.size()), 0);
  EXPECT_THROW(ListeningSocket(UniqueFd(::dup(passed.get()))), Error);
  ASSERT_EQ(::listen(passed.get(), 1), 0);
  {
    const ListeningSocket listening(std::move(passed));
    EXPECT_NE(::fcntl(listening.descriptor(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_TRUE(RawCaller().connect(path_));
  }
  EXPECT_EQ(::access(path_.c_str(), F_OK), 0);
  try {
    const ListeningSocket file(UniqueFd(::open("/dev/null", O_RDONLY)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the socket that was passed in is no Unix stream socket that listens");
  }
}

}  // namespace
}  // namespace bulkhead
