// SPDX-License-Identifier: Apache-2.0
// The few files that Bulkhead keeps for itself, in one directory of its own (by default under /run, which
// lives as long as the kernel state that the files speak of).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class Store {
 public:
  // The directory need not be there yet: it is made before the first file in it. Others may pass through it,
  // to the daemon's socket; the files are mode 0600.
  explicit Store(std::string directory) : path_(std::move(directory)) {}

  // Nothing if there is no such file, or no directory yet. Error(refused) for what is no regular file, or
  // longer than any that we write: nothing of it is read.
  std::optional<std::string> read(const std::string& name) const;

  // Replaces the whole file so that after a crash either the old or the new one is there.
  void replace(const std::string& name, std::string_view text);

  // Appends and waits until it is on disk.
  void append(const std::string& name, std::string_view text);

  void remove(const std::string& name);

  // A file that makes no sense gets another name that is free; the path it then has.
  std::string set_aside(const std::string& name);

  // Excludes every other Bulkhead on this directory while the result lives. Error(conflict) after
  // `patience_ms`.
  UniqueFd lock(int patience_ms, const std::string& name = "lock");

  const std::string& directory() const { return path_; }

 private:
  std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  int directory_to_write();
  void sync_directory();

  std::string path_;
  UniqueFd directory_;  // once something is to be written
};

}  // namespace bulkhead
