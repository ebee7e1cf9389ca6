// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"
#include "controller/kernel/advisory_lock.h"
#include "controller/kernel/file_errors.h"
#include "controller/kernel/file_system.h"

namespace bulkhead {
namespace {

std::string joined(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

UniqueFd open_at(int folder, const std::string& name, int flags, const std::string& path) {
  UniqueFd descriptor(::openat(folder, name.c_str(), flags | O_CLOEXEC));
  if (!descriptor) throw Error::from_errno(errno, "cannot open", path);
  return descriptor;
}

class LinuxFile : public File {
 public:
  LinuxFile(UniqueFd descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  std::string read() override {
    std::string content;
    constexpr std::size_t kFirst = 4096;
    std::size_t used = 0;
    for (content.resize(kFirst);; content.resize(content.size() * 2)) {
      while (used < content.size()) {
        const ssize_t got = ::pread(descriptor_.get(), content.data() + used, content.size() - used,
                                    static_cast<off_t>(used));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error::from_errno(errno, "cannot read", path_);
        if (got == 0) {
          content.resize(used);
          return content;
        }
        used += static_cast<std::size_t>(got);
      }
      if (used >= kLargestRead) throw Error::from_errno(EFBIG, "cannot read", path_);
    }
  }

  std::size_t read_into(std::span<char> buffer) override {
    ssize_t got = 0;
    do {
      got = ::pread(descriptor_.get(), buffer.data(), buffer.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error::from_errno(errno, "cannot read", path_);
    return static_cast<std::size_t>(got);
  }

  void write(std::string_view text) override {
    const ssize_t done = ::pwrite(descriptor_.get(), text.data(), text.size(), 0);
    if (done < 0) throw file_errors::cannot_write(errno, text, path_);
    if (static_cast<std::size_t>(done) != text.size()) {
      throw Error::from_errno(
          EIO, "only " + std::to_string(done) + " bytes were taken of '" + file_errors::shown(text) + "'",
          path_);
    }
  }

  const std::string& path() const override { return path_; }

 private:
  UniqueFd descriptor_;
  std::string path_;
};

class LinuxLock : public FileLock {
 public:
  // A descriptor of its own: flock belongs to the open file description.
  explicit LinuxLock(UniqueFd descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  UniqueFd descriptor_;
};

class LinuxDirectory : public Directory {
 public:
  LinuxDirectory(UniqueFd descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  std::unique_ptr<File> open(const std::string& name, Access access) override {
    constexpr int kFlags[] = {O_RDONLY, O_WRONLY, O_RDWR};
    const std::string path = joined(path_, name);
    // Kernel files never block; a pipe that somebody put in the place of one must not, either.
    const int flags = kFlags[static_cast<int>(access)] | O_NONBLOCK;
    return std::make_unique<LinuxFile>(open_at(descriptor_.get(), name, flags, path), path);
  }

  std::unique_ptr<Directory> open_directory(const std::string& name) override {
    const std::string path = joined(path_, name);
    return std::make_unique<LinuxDirectory>(open_at(descriptor_.get(), name, O_RDONLY | O_DIRECTORY, path),
                                            path);
  }

  std::vector<DirectoryEntry> list() override {
    UniqueFd again = open_at(descriptor_.get(), ".", O_RDONLY | O_DIRECTORY, path_);
    DIR* stream = ::fdopendir(again.get());
    if (stream == nullptr) throw Error::from_errno(errno, "cannot list", path_);
    again.release();  // the stream owns it now
    std::vector<DirectoryEntry> entries;
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      entries.push_back({std::string(name), is_directory(*entry)});
      errno = 0;
    }
    const int failed = errno;
    ::closedir(stream);
    if (failed != 0) throw Error::from_errno(failed, "cannot list", path_);
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  bool exists(const std::string& name) override {
    return ::faccessat(descriptor_.get(), name.c_str(), F_OK, 0) == 0;
  }

  void make_directory(const std::string& name) override {
    constexpr mode_t kMode = 0755;
    if (::mkdirat(descriptor_.get(), name.c_str(), kMode) != 0) {
      throw Error::from_errno(errno, "cannot make the directory", joined(path_, name));
    }
  }

  void remove_directory(const std::string& name) override {
    if (::unlinkat(descriptor_.get(), name.c_str(), AT_REMOVEDIR) != 0) {
      throw Error::from_errno(errno, "cannot remove the directory", joined(path_, name));
    }
  }

  std::string read_link(const std::string& name) override {
    std::string target(4096, '\0');
    const ssize_t length = ::readlinkat(descriptor_.get(), name.c_str(), target.data(), target.size());
    if (length < 0) throw Error::from_errno(errno, "cannot read the link", joined(path_, name));
    target.resize(static_cast<std::size_t>(length));
    return target;
  }

  std::unique_ptr<FileLock> lock(int patience_ms) override {
    UniqueFd own = open_at(descriptor_.get(), ".", O_RDONLY | O_DIRECTORY, path_);
    lock_exclusively(own.get(), patience_ms, path_);
    return std::make_unique<LinuxLock>(std::move(own));
  }

  const std::string& path() const override { return path_; }

 private:
  bool is_directory(const dirent& entry) const {
    if (entry.d_type != DT_UNKNOWN && entry.d_type != DT_LNK) return entry.d_type == DT_DIR;
    struct stat status {};
    return ::fstatat(descriptor_.get(), entry.d_name, &status, 0) == 0 && S_ISDIR(status.st_mode);
  }

  UniqueFd descriptor_;
  std::string path_;
};

class LinuxFileSystem : public FileSystem {
 public:
  std::unique_ptr<Directory> open_directory(const std::string& path) override {
    return std::make_unique<LinuxDirectory>(open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, path), path);
  }

  void mount(const std::string& type, const std::string& target, const std::string& options) override {
    if (::mount(type.c_str(), target.c_str(), type.c_str(), MS_NOSUID | MS_NODEV | MS_NOEXEC,
                options.empty() ? nullptr : options.c_str()) != 0) {
      throw Error::from_errno(errno, "cannot mount " + type, target);
    }
  }
};

}  // namespace

std::unique_ptr<FileSystem> make_linux_file_system() {
  return std::make_unique<LinuxFileSystem>();
}

}  // namespace bulkhead
