// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/kernel/advisory_lock.h"

namespace bulkhead {
namespace {

constexpr mode_t kDirectory = 0755;
constexpr mode_t kPrivateFile = 0600;
constexpr int kMostSetAside = 1000;
constexpr off_t kMostBytes = 64 << 20;  // a journal that moves a million threads has half of it

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw Error::from_errno(errno, "cannot write", path);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  if (::fdatasync(descriptor) != 0) throw Error::from_errno(errno, "cannot sync", path);
}

UniqueFd open_in(int directory, const std::string& name, int flags, const std::string& path) {
  UniqueFd descriptor(::openat(directory, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kPrivateFile));
  if (!descriptor) throw Error::from_errno(errno, "cannot open", path);
  return descriptor;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorDetail{.code = ErrorCode::refused, .message = what, .path = path});
}

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

[[noreturn]] void refuse_what_is_no_file(const std::string& path, const std::string& kind) {
  refuse(path, "this is " + kind + ", not a file that Bulkhead has written");
}

// A directory made in resctrl or in a cgroup tree is a group.
void refuse_kernel_filesystem(const std::string& path) {
  constexpr std::array<unsigned long, 6> kKernels = {SYSFS_MAGIC,          PROC_SUPER_MAGIC,
                                                     CGROUP_SUPER_MAGIC,   CGROUP2_SUPER_MAGIC,
                                                     RDTGROUP_SUPER_MAGIC, DEBUGFS_MAGIC};
  struct statfs status {};
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (::statfs(path.c_str(), &status) != 0 && ::statfs(parent.empty() ? "." : parent.c_str(), &status) != 0)
    return;
  const auto type = static_cast<unsigned long>(status.f_type);
  if (std::find(kKernels.begin(), kKernels.end(), type) == kKernels.end()) return;
  throw Error(ErrorDetail{
      .code = ErrorCode::usage,
      .message = "the kernel's own filesystem is no place for our files: choose another directory",
      .path = path});
}

}  // namespace

int Store::directory_to_write() {
  if (directory_) return directory_.get();
  refuse_kernel_filesystem(path_);
  if (::mkdir(path_.c_str(), kDirectory) != 0 && errno != EEXIST) {
    throw Error::from_errno(errno, "cannot make the directory", path_);
  }
  directory_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory_) throw Error::from_errno(errno, "cannot open the directory", path_);
  return directory_.get();
}

std::optional<std::string> Store::read(const std::string& name) const {
  // Not to wait for whoever writes a FIFO of that name.
  const UniqueFd file(::open(path_of(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    if (errno == ELOOP) refuse_what_is_no_file(path_of(name), "a symbolic link");
    throw Error::from_errno(errno, "cannot open", path_of(name));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw Error::from_errno(errno, "cannot stat", path_of(name));
  if (!S_ISREG(status.st_mode)) refuse_what_is_no_file(path_of(name), kind_of(status.st_mode));
  if (status.st_size > kMostBytes)
    refuse(path_of(name), "this is too long for a file that Bulkhead has written: more than 64 MiB");
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno(errno, "cannot read", path_of(name));
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

void Store::replace(const std::string& name, std::string_view text) {
  const std::string fresh = name + ".new";
  UniqueFd file = open_in(directory_to_write(), fresh, O_WRONLY | O_CREAT | O_TRUNC, path_of(fresh));
  try {
    write_all(file.get(), text, path_of(fresh));
    if (::renameat(directory_.get(), fresh.c_str(), directory_.get(), name.c_str()) != 0)
      throw Error::from_errno(errno, "cannot rename into place", path_of(name));
  } catch (const Error&) {
    ::unlinkat(directory_.get(), fresh.c_str(), 0);  // a part of a file is of no use to anybody
    throw;
  }
  sync_directory();
}

void Store::append(const std::string& name, std::string_view text) {
  const UniqueFd file = open_in(directory_to_write(), name, O_WRONLY | O_CREAT | O_APPEND, path_of(name));
  write_all(file.get(), text, path_of(name));
  sync_directory();
}

void Store::remove(const std::string& name) {
  ::unlinkat(directory_to_write(), (name + ".new").c_str(), 0);  // of a replace that was interrupted
  if (::unlinkat(directory_.get(), name.c_str(), 0) != 0) {
    if (errno == ENOENT) return;
    throw Error::from_errno(errno, "cannot remove", path_of(name));
  }
  sync_directory();
}

std::string Store::set_aside(const std::string& name) {
  const int directory = directory_to_write();
  std::string aside = name + ".set-aside";
  // What was set aside before is kept as well.
  for (int count = 1; ::renameat2(directory, name.c_str(), directory, aside.c_str(), RENAME_NOREPLACE) != 0;
       ++count) {
    if (errno != EEXIST || count == kMostSetAside)
      throw Error::from_errno(errno, "cannot set aside", path_of(name));
    aside = name + ".set-aside." + std::to_string(count);
  }
  sync_directory();
  return path_of(aside);
}

UniqueFd Store::lock(int patience_ms, const std::string& name) {
  UniqueFd file = open_in(directory_to_write(), name, O_RDWR | O_CREAT, path_of(name));
  lock_exclusively(file.get(), patience_ms, path_of(name));
  return file;
}

void Store::sync_directory() {
  if (::fsync(directory_.get()) != 0) throw Error::from_errno(errno, "cannot sync", path_);
}

}  // namespace bulkhead
