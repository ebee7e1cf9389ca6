// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/group_files.h"

#include <cerrno>
#include <utility>

#include "controller/base/error.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/kernel_status.h"

namespace bulkhead {
namespace {

bool is_gone(const Error& error) {
  const int number = error.detail().error_number;
  return number == ENODEV || number == ENOENT || number == ENOTDIR;
}

}  // namespace

GroupFiles::GroupFiles(std::unique_ptr<Directory> root) : root_(std::move(root)) {}

// Open for both where that is allowed, so that observing and changing share one descriptor.
GroupFiles::OpenFile& GroupFiles::open(const std::string& path) {
  OpenFile& open = open_[path];
  if (open.file) return open;
  try {
    open = {root_->open(path, Access::read_write), true};
  } catch (const Error& error) {
    const int number = error.detail().error_number;
    if (number != EACCES && number != EPERM && number != EROFS) throw;
    open = {root_->open(path, Access::read), false};
  }
  return open;
}

std::optional<std::string> GroupFiles::read(const std::string& group, std::string_view file) {
  const std::string path = in_group(group, file);
  constexpr int kTries = 2;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    try {
      return open(path).file->read();
    } catch (const Error& error) {
      open_.erase(path);
      if (!is_gone(error)) throw;
    }
  }
  return std::nullopt;
}

void GroupFiles::write(const std::string& group, std::string_view file, std::string_view text) {
  const std::string path = in_group(group, file);
  try {
    OpenFile& open = this->open(path);
    if (!open.writable) open = {root_->open(path, Access::write), true};  // for the kernel to say why not
    open.file->write(text);
  } catch (Error& error) {
    if (is_gone(error)) {
      open_.erase(path);
      ErrorDetail detail = error.detail();
      detail.code = ErrorCode::conflict;
      detail.message += ": " + group_title(group) + " was removed by another program meanwhile";
      throw Error(std::move(detail));
    }
    if (leaves_status(error.detail().error_number)) error.set_kernel_status(status());
    throw;
  }
}

bool GroupFiles::exists(const std::string& group) {
  return group.empty() || root_->exists(group);
}

void GroupFiles::make(const std::string& group) {
  forget(group);
  try {
    root_->make_directory(group);
  } catch (Error& error) {
    const int number = error.detail().error_number;
    if (number != EPERM && leaves_status(number)) error.set_kernel_status(status());
    throw;
  }
}

void GroupFiles::remove(const std::string& group) {
  forget(group);
  root_->remove_directory(group);
}

std::vector<std::string> GroupFiles::list(const std::string& folder) {
  const auto directory = folder.empty() ? nullptr : root_->open_directory_if_there(folder);
  if (!folder.empty() && !directory) return {};
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : folder.empty() ? root_->list() : directory->list()) {
    const bool own_folder =
        folder.empty() && (entry.name == "info" || entry.name == "mon_groups" || entry.name == "mon_data");
    if (entry.is_directory && !own_folder) names.push_back(entry.name);
  }
  return names;
}

std::string GroupFiles::status() {
  try {
    if (!status_) status_ = root_->open("info/last_cmd_status", Access::read);
    return latest_status(status_->read());
  } catch (const Error&) {
    return {};  // it only explains another error, which is the one to report
  }
}

void GroupFiles::forget(const std::string& group) {
  const std::string prefix = group + '/';
  std::erase_if(open_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

}  // namespace bulkhead
