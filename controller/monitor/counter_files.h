// SPDX-License-Identifier: Apache-2.0
// The counters of the mounted resctrl. Each file is opened once and read from its descriptor as long as its
// group lives.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/kernel/file_system.h"
#include "controller/monitor/counter_source.h"

namespace bulkhead {

class CounterFiles : public CounterSource {
 public:
  // `mount_point` is resctrl's. Counts take a descriptor each: see raise_descriptor_limit().
  CounterFiles(FileSystem& files, const std::string& mount_point);

  const CounterShape& shape() const override { return shape_; }
  bool follow(const std::vector<CountedGroup>& groups) override;
  bool rescan() override;
  bool read(CounterEvent event, std::size_t group, std::span<Reading> into) override;
  std::string assign_free() override;
  std::string lack() const override;

 private:
  struct Group {
    CounterGroup group;
    std::vector<std::unique_ptr<File>> files;  // by event of the shape, then by CCD; null where there is none
    bool gone = false;
  };

  void find_ccds_and_events();
  std::vector<std::string> group_paths();
  bool is_spare(const std::string& folder);
  std::vector<std::unique_ptr<File>> open_files(const std::string& group);

  std::string shown(const std::string& path) const;

  std::unique_ptr<Directory> root_;
  std::map<std::string, std::string> names_;  // by folder; none unless libpqos has other names for some
  CounterShape shape_;
  std::vector<std::string> ccd_folders_;  // in mon_data, one a CCD
  std::vector<Group> groups_;
  std::uint64_t last_id_ = 0;
};

}  // namespace bulkhead
