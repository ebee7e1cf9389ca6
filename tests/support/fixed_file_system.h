// SPDX-License-Identifier: Apache-2.0
// Files with fixed content, for what only reads: a host as it was found, given as path and text. A path that
// ends in "/" is an empty folder, a text that starts with "-> " is a link. Nothing can be changed: EROFS.
#pragma once

#include <cerrno>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "controller/base/error.h"
#include "controller/kernel/file_system.h"

namespace bulkhead::testing {

using Files = std::map<std::string, std::string>;

class FixedFile : public File {
 public:
  FixedFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  std::string read() override { return text_; }
  void write(std::string_view) override { throw Error::from_errno(EROFS, "cannot write", path_); }
  const std::string& path() const override { return path_; }

 private:
  std::string path_;
  std::string text_;
};

class FixedDirectory : public Directory {
 public:
  FixedDirectory(const Files& files, std::string path) : files_(files), path_(std::move(path)) {}

  static bool is_there(const Files& files, const std::string& path) {
    const auto below = files.lower_bound(path + '/');
    return path.empty() || (below != files.end() && below->first.starts_with(path + '/'));
  }

  std::unique_ptr<File> open(const std::string& name, Access access) override {
    const auto found = files_.find(path_ + '/' + name);
    if (found == files_.end()) throw Error::from_errno(ENOENT, "cannot open", path_ + '/' + name);
    if (access != Access::read) throw Error::from_errno(EROFS, "cannot open", path_ + '/' + name);
    return std::make_unique<FixedFile>(found->first, found->second);
  }

  std::unique_ptr<Directory> open_directory(const std::string& name) override {
    const std::string path = path_ + '/' + name;
    if (!is_there(files_, path)) throw Error::from_errno(ENOENT, "cannot open", path);
    return std::make_unique<FixedDirectory>(files_, path);
  }

  std::vector<DirectoryEntry> list() override {
    std::set<DirectoryEntry> entries;
    for (auto at = files_.lower_bound(path_ + '/'); at != files_.end() && at->first.starts_with(path_ + '/');
         ++at) {
      const std::string rest = at->first.substr(path_.size() + 1);
      const auto slash = rest.find('/');
      if (!rest.empty()) entries.insert({rest.substr(0, slash), slash != std::string::npos});
    }
    return {entries.begin(), entries.end()};
  }

  bool exists(const std::string& name) override {
    return files_.contains(path_ + '/' + name) || is_there(files_, path_ + '/' + name);
  }

  std::string read_link(const std::string& name) override {
    const auto found = files_.find(path_ + '/' + name);
    if (found == files_.end()) throw Error::from_errno(ENOENT, "cannot read the link", path_ + '/' + name);
    return found->second.substr(found->second.starts_with("-> ") ? 3 : 0);
  }

  void make_directory(const std::string& name) override { refuse(name); }
  void remove_directory(const std::string& name) override { refuse(name); }
  std::unique_ptr<FileLock> lock(int) override { return std::make_unique<FileLock>(); }
  const std::string& path() const override { return path_; }

 private:
  [[noreturn]] void refuse(const std::string& name) const {
    throw Error::from_errno(EROFS, "cannot change", path_ + '/' + name);
  }

  const Files& files_;
  std::string path_;
};

class FixedFileSystem : public FileSystem {
 public:
  explicit FixedFileSystem(Files files) : files_(std::move(files)) {}
  FixedFileSystem(std::initializer_list<Files::value_type> files) : files_(files) {}

  std::unique_ptr<Directory> open_directory(const std::string& path) override {
    const std::string folder = path == "/" ? "" : path;
    if (!FixedDirectory::is_there(files_, folder)) throw Error::from_errno(ENOENT, "cannot open", path);
    return std::make_unique<FixedDirectory>(files_, folder);
  }

  void mount(const std::string&, const std::string& target, const std::string&) override {
    throw Error::from_errno(EPERM, "cannot mount", target);
  }

  Files& files() { return files_; }

 private:
  Files files_;
};

// The text of the Error that `act` throws; empty if it throws none.
template <class Act>
std::string error_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return {};
}

}  // namespace bulkhead::testing
