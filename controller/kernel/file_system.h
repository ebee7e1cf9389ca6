// SPDX-License-Identifier: Apache-2.0
// The one gateway to kernel files. A Directory is held open and everything in it is reached from there, so a
// group that was removed and made again is noticed (ENODEV), and a test can put a model of a kernel behind
// it. All paths in errors are the full ones. Every failure is Error::from_errno with the path; nothing is
// retried.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

enum class Access { read, write, read_write };

// An open file. Reading and writing start at offset 0 each time, as kernel files want it.
class File {
 public:
  virtual ~File() = default;

  // The whole content. At most kLargestRead bytes; more is Error(refused).
  virtual std::string read() = 0;

  // One pread(2): how much of `buffer` the content's beginning fills. For what is read often, and is short.
  virtual std::size_t read_into(std::span<char> buffer);

  // One pwrite(2) of the whole text: for the kernel, one command. A short write is Error(refused).
  virtual void write(std::string_view text) = 0;

  virtual const std::string& path() const = 0;

  static constexpr std::size_t kLargestRead = 16 << 20;
};

// Holds an advisory lock until it goes away.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

struct DirectoryEntry {
  std::string name;
  bool is_directory = false;
  auto operator<=>(const DirectoryEntry&) const = default;
};

class Directory {
 public:
  virtual ~Directory() = default;

  // `name` is one file's name, or a path below this directory without "..". Symbolic links are followed.
  virtual std::unique_ptr<File> open(const std::string& name, Access access) = 0;
  virtual std::unique_ptr<Directory> open_directory(const std::string& name) = 0;

  virtual std::vector<DirectoryEntry> list() = 0;  // by name; without "." and ".."
  virtual bool exists(const std::string& name) = 0;
  virtual void make_directory(const std::string& name) = 0;
  virtual void remove_directory(const std::string& name) = 0;
  virtual std::string read_link(const std::string& name) = 0;

  // flock(2) with LOCK_EX on this directory, which is how programs agree on who writes to resctrl. Waits for
  // at most `patience_ms`; then Error(conflict).
  virtual std::unique_ptr<FileLock> lock(int patience_ms) = 0;

  virtual const std::string& path() const = 0;

  // Conveniences: open, act once, close.
  std::string read(const std::string& name) { return open(name, Access::read)->read(); }
  void write(const std::string& name, std::string_view text) { open(name, Access::write)->write(text); }
  // Nothing where the file, or the process or group that it belonged to, is gone (ENOENT, ESRCH, ENODEV).
  std::optional<std::string> read_if_there(const std::string& name);
  std::unique_ptr<Directory> open_directory_if_there(const std::string& name);
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual std::unique_ptr<Directory> open_directory(const std::string& path) = 0;
  std::unique_ptr<Directory> open_directory_if_there(const std::string& path);

  // mount(2) of a kernel filesystem without a device. `options` as in mount -o, may be empty.
  virtual void mount(const std::string& type, const std::string& target, const std::string& options) = 0;
};

// The files of the kernel that runs this program.
std::unique_ptr<FileSystem> make_linux_file_system();

}  // namespace bulkhead
