// SPDX-License-Identifier: Apache-2.0
#include "controller/kernel/file_system.h"

#include <cerrno>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

// What a file of a process or group that has just gone answers.
bool means_gone(const Error& error) {
  const int number = error.detail().error_number;
  return number == ENOENT || number == ESRCH || number == ENODEV || number == ENOTDIR;
}

template <class Act>
auto unless_gone(Act&& act) -> decltype(act()) {
  try {
    return act();
  } catch (const Error& error) {
    if (!means_gone(error)) throw;
    return {};
  }
}

}  // namespace

std::size_t File::read_into(std::span<char> buffer) {
  const std::string content = read();
  return content.copy(buffer.data(), buffer.size());
}

std::optional<std::string> Directory::read_if_there(const std::string& name) {
  return unless_gone([&] { return std::optional<std::string>(read(name)); });
}

std::unique_ptr<Directory> Directory::open_directory_if_there(const std::string& name) {
  return unless_gone([&] { return open_directory(name); });
}

std::unique_ptr<Directory> FileSystem::open_directory_if_there(const std::string& path) {
  return unless_gone([&] { return open_directory(path); });
}

}  // namespace bulkhead
