// SPDX-License-Identifier: Apache-2.0
// The few files that Bulkhead keeps for itself, in one directory of its own (by default under /run, which lives
// as long as the kernel state that the files speak of).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class Store {
 public:
  // Makes the directory, mode 0700, if need be. Throws Error(permission) and the like with its path.
  explicit Store(std::string directory);

  std::optional<std::string> read(const std::string& name) const;

  // Replaces the whole file so that after a crash either the old or the new one is there.
  void replace(const std::string& name, std::string_view text);

  // Appends and waits until it is on disk.
  void append(const std::string& name, std::string_view text);

  void remove(const std::string& name);

  // Excludes every other Bulkhead on this directory while the result lives. Error(conflict) after `patience_ms`.
  UniqueFd lock(int patience_ms);

  const std::string& directory() const { return path_; }

 private:
  std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  void sync_directory() const;

  std::string path_;
  UniqueFd directory_;
};

}  // namespace bulkhead
