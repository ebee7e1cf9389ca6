// SPDX-License-Identifier: Apache-2.0
#include "controller/api/listening_socket.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <utility>

#include "controller/api/socket_address.h"
#include "controller/base/error.h"

namespace bulkhead {
namespace {

[[noreturn]] void fail(const std::string& message, const std::string& path) {
  throw Error::from_errno(errno, message, path);
}

constexpr unsigned kMostLooks = 20;
constexpr std::chrono::milliseconds kBetweenLooks{50};

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Of two daemons that start at once the second finds the first one's socket.
UniqueFd lock_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) fail("cannot make the socket's directory", path);
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::flock(directory.get(), LOCK_EX) != 0) fail("cannot lock the socket's directory", path);
  return directory;
}

UniqueFd make_socket() {
  UniqueFd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made) fail("cannot make a socket", "AF_UNIX");
  return made;
}

// It is live too where more wait to be accepted than may (EAGAIN).
bool somebody_listens(const std::string& path) {
  const UniqueFd probe = make_socket();
  const SocketAddress address(path);
  return ::connect(probe.get(), address.get(), address.size()) == 0 || errno == EAGAIN;
}

// A program that a daemon was about to start when it was killed has the socket until it is executed.
void refuse_what_is_in_use(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return;
  if (!S_ISSOCK(there.st_mode)) throw Error(ErrorCode::conflict, path + " is there, and is no socket");
  for (unsigned looks = 0; somebody_listens(path); ++looks) {
    if (looks == kMostLooks) throw Error(ErrorCode::conflict, "a daemon listens on " + path + " already");
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

}  // namespace

ListeningSocket::ListeningSocket(const SocketOptions& options) : descriptor_(make_socket()) {
  const UniqueFd lock = lock_directory(directory_of(options.path));
  refuse_what_is_in_use(options.path);
  // It gets its rights and listens before it gets its name.
  const std::string unnamed = options.path + ".new";
  ::unlink(unnamed.c_str());
  const SocketAddress address(unnamed);
  if (::bind(descriptor_.get(), address.get(), address.size()) != 0) fail("cannot make the socket", unnamed);
  const gid_t group = options.group.value_or(static_cast<gid_t>(-1));
  struct stat made {};
  if (::chown(unnamed.c_str(), static_cast<uid_t>(-1), group) != 0 ||
      ::chmod(unnamed.c_str(), options.mode) != 0 || ::listen(descriptor_.get(), SOMAXCONN) != 0 ||
      ::lstat(unnamed.c_str(), &made) != 0 || ::rename(unnamed.c_str(), options.path.c_str()) != 0) {
    const int why = errno;
    ::unlink(unnamed.c_str());
    throw Error::from_errno(why, "cannot listen", options.path);
  }
  path_ = options.path;
  device_ = made.st_dev;
  inode_ = made.st_ino;
}

ListeningSocket::ListeningSocket(UniqueFd inherited) : descriptor_(std::move(inherited)) {
  const auto option = [&](int name) {
    int value = 0;
    socklen_t bytes = sizeof value;
    return ::getsockopt(descriptor_.get(), SOL_SOCKET, name, &value, &bytes) == 0 ? value : -1;
  };
  if (option(SO_DOMAIN) != AF_UNIX || option(SO_TYPE) != SOCK_STREAM || option(SO_ACCEPTCONN) != 1) {
    throw Error(ErrorCode::invalid, "the socket that was passed in is no Unix stream socket that listens");
  }
  const int flags = ::fcntl(descriptor_.get(), F_GETFL);
  ::fcntl(descriptor_.get(), F_SETFL, flags | O_NONBLOCK);
  ::fcntl(descriptor_.get(), F_SETFD, FD_CLOEXEC);
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      path_(std::exchange(other.path_, {})),
      device_(other.device_),
      inode_(other.inode_) {}

ListeningSocket::~ListeningSocket() {
  struct stat there {};
  if (path_.empty() || ::lstat(path_.c_str(), &there) != 0) return;
  if (there.st_dev == device_ && there.st_ino == inode_) ::unlink(path_.c_str());
}

}  // namespace bulkhead
