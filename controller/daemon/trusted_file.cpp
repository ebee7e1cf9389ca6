// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/trusted_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"

namespace bulkhead {
namespace {

constexpr std::size_t kLargestTrustedFile = 4 << 20;

Error untrusted(const std::string& path, const std::string& why) {
  return Error(ErrorCode::permission, path + ' ' + why);
}

struct ::stat status_of(int descriptor, const std::string& path) {
  struct ::stat status {};
  if (::fstat(descriptor, &status) != 0) throw Error::from_errno(errno, "cannot look at", path);
  return status;
}

void require_own(const struct ::stat& status, const std::string& path) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    throw untrusted(path, "belongs to user " + std::to_string(status.st_uid) +
                              ": it must be root's, since it says what root does");
  }
  // In a sticky directory (/tmp) others cannot replace what is not theirs.
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky) {
    throw untrusted(path, "may be written by others: make it writable for its owner only (chmod go-w)");
  }
}

}  // namespace

std::string read_trusted_file(const std::string& path) {
  // Not blocking: a pipe in the place of the file must not hold us.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw Error::from_errno(errno, "cannot read", path);
  const struct ::stat status = status_of(file.get(), path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::invalid, path + " is not a regular file");
  require_own(status, path);
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const UniqueFd directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) throw Error::from_errno(errno, "cannot look at", folder);
  require_own(status_of(directory.get(), folder), folder);
  std::string text(kLargestTrustedFile + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 0; size < text.size(); size += static_cast<std::size_t>(got)) {
    got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0) throw Error::from_errno(errno, "cannot read", path);
    if (got == 0) break;
  }
  if (size > kLargestTrustedFile) throw Error(ErrorCode::invalid, path + " is larger than 4 MiB");
  text.resize(size);
  return text;
}

}  // namespace bulkhead
