// SPDX-License-Identifier: Apache-2.0
// The files of resctrl's groups, opened once and kept. A file of a group that was removed answers ENODEV for
// ever, also when a group of that name exists again: that is how a change by another program is noticed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/kernel/file_system.h"

namespace bulkhead {

class GroupFiles {
 public:
  explicit GroupFiles(std::unique_ptr<Directory> root);

  Directory& root() { return *root_; }

  // The file's content. A kept file whose group is gone is opened once more, for there may be a new group of
  // that name. Nothing if the group, or the file in it, is not there.
  std::optional<std::string> read(const std::string& group, std::string_view file);

  // One command for the kernel. A refusal carries info/last_cmd_status. A group that has gone is
  // Error(conflict), never a write to another one of its name.
  void write(const std::string& group, std::string_view file, std::string_view text);

  bool exists(const std::string& group);
  // mkdir and rmdir. What was open of the group, and of groups below it, is closed.
  void make(const std::string& group);
  void remove(const std::string& group);

  // Names of the groups in a folder, sorted: control groups of "", monitoring groups of "G/mon_groups".
  std::vector<std::string> list(const std::string& folder);

  std::string status();  // latest_status of now

 private:
  struct OpenFile {
    std::unique_ptr<File> file;
    bool writable = false;
  };

  OpenFile& open(const std::string& path);
  void forget(const std::string& group);

  std::unique_ptr<Directory> root_;
  std::unique_ptr<File> status_;
  std::map<std::string, OpenFile> open_;  // by path below the root
};

}  // namespace bulkhead
