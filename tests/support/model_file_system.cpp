// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_file_system.h"

#include <cerrno>

#include "controller/base/error.h"
#include "controller/kernel/file_errors.h"

namespace bulkhead::testing {
namespace {

using Locks = std::shared_ptr<std::set<std::string>>;

std::string joined(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

class ModelFile : public File {
 public:
  ModelFile(sim::ScriptedKernel& kernel, sim::Handle handle, Access access)
      : kernel_(kernel), handle_(std::move(handle)), access_(access) {}

  std::string read() override {
    if (access_ == Access::write) throw Error::from_errno(EBADF, "cannot read", path());
    sim::Answer answer = kernel_.read(handle_);
    if (answer.error != 0) throw Error::from_errno(answer.error, "cannot read", path());
    return std::move(answer.text);
  }

  void write(std::string_view text) override {
    if (access_ == Access::read) throw file_errors::cannot_write(EBADF, text, path());
    if (const int error = kernel_.write(handle_, text)) throw file_errors::cannot_write(error, text, path());
  }

  const std::string& path() const override { return handle_.path; }

 private:
  sim::ScriptedKernel& kernel_;
  sim::Handle handle_;
  Access access_;
};

class ModelLock : public FileLock {
 public:
  ModelLock(Locks locks, std::string path) : locks_(std::move(locks)), path_(std::move(path)) {}
  ~ModelLock() override { locks_->erase(path_); }

 private:
  Locks locks_;
  std::string path_;
};

class ModelDirectory : public Directory {
 public:
  ModelDirectory(sim::ScriptedKernel& kernel, sim::Handle handle, Locks locks)
      : kernel_(kernel), handle_(std::move(handle)), locks_(std::move(locks)) {}

  std::unique_ptr<File> open(const std::string& name, Access access) override {
    const std::string full = below(name, "cannot open");
    sim::Handle handle =
        model().open(full, access == Access::read ? sim::OpenFor::reading : sim::OpenFor::writing);
    if (handle.error != 0) throw Error::from_errno(handle.error, "cannot open", full);
    return std::make_unique<ModelFile>(kernel_, std::move(handle), access);
  }

  std::unique_ptr<Directory> open_directory(const std::string& name) override {
    const std::string full = below(name, "cannot open");
    sim::Handle handle = model().open_directory(full);
    if (handle.error != 0) throw Error::from_errno(handle.error, "cannot open", full);
    return std::make_unique<ModelDirectory>(kernel_, std::move(handle), locks_);
  }

  std::vector<DirectoryEntry> list() override {
    const sim::Listing listing = model().list(below(".", "cannot open"));
    if (listing.error != 0) throw Error::from_errno(listing.error, "cannot open", path());
    std::vector<DirectoryEntry> entries;
    for (const sim::Entry& entry : listing.entries) entries.push_back({entry.name, entry.is_directory});
    return entries;
  }

  bool exists(const std::string& name) override {
    return !model().is_gone(handle_) && model().kind(joined(path(), name)) != sim::NodeKind::absent;
  }

  void make_directory(const std::string& name) override {
    const std::string full = below(name, "cannot make the directory");
    if (const int error = kernel_.make_directory(full)) {
      throw Error::from_errno(error, "cannot make the directory", full);
    }
  }

  void remove_directory(const std::string& name) override {
    const std::string full = below(name, "cannot remove the directory");
    if (const int error = kernel_.remove_directory(full)) {
      throw Error::from_errno(error, "cannot remove the directory", full);
    }
  }

  std::string read_link(const std::string& name) override {
    const std::string full = below(name, "cannot read the link");
    sim::Answer answer = model().read_link(full);
    if (answer.error != 0) throw Error::from_errno(answer.error, "cannot read the link", full);
    return std::move(answer.text);
  }

  std::unique_ptr<FileLock> lock(int patience_ms) override {
    if (!locks_->insert(path()).second) throw file_errors::lock_is_held("another program", patience_ms, path());
    return std::make_unique<ModelLock>(locks_, path());
  }

  const std::string& path() const override { return handle_.path; }

 private:
  sim::KernelModel& model() { return kernel_.outside(); }

  // The path of something in here; a removed directory has nothing in it.
  std::string below(const std::string& name, const std::string& action) {
    const std::string full = name == "." ? path() : joined(path(), name);
    if (model().is_gone(handle_)) throw Error::from_errno(ENOENT, action, full);
    return full;
  }

  sim::ScriptedKernel& kernel_;
  sim::Handle handle_;
  Locks locks_;
};

}  // namespace

std::unique_ptr<Directory> ModelFileSystem::open_directory(const std::string& path) {
  sim::Handle handle = kernel_.outside().open_directory(path);
  if (handle.error != 0) throw Error::from_errno(handle.error, "cannot open", path);
  return std::make_unique<ModelDirectory>(kernel_, std::move(handle), locks_);
}

void ModelFileSystem::mount(const std::string& type, const std::string& target, const std::string& options) {
  if (const int error = kernel_.mount(type, target, options)) {
    throw Error::from_errno(error, "cannot mount " + type, target);
  }
}

}  // namespace bulkhead::testing
