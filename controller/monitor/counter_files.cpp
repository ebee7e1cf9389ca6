// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/counter_files.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/monitor/counter_assignment.h"
#include "controller/resctrl/class_name.h"
#include "controller/resctrl/group_path.h"

namespace bulkhead {
namespace {

constexpr std::string_view kData = "mon_data";
constexpr std::string_view kCcdPrefix = "mon_L3_";
constexpr std::string_view kPartPrefix = "mon_sub_L3_";
constexpr std::size_t kLongestReading = 32;  // the longest is "Unavailable", or 20 digits

std::vector<std::string> folders_in(Directory& root, const std::string& path) {
  const auto folder = path.empty() ? root.open_directory_if_there(".") : root.open_directory_if_there(path);
  std::vector<std::string> names;
  if (folder == nullptr) return names;
  for (const DirectoryEntry& entry : folder->list()) {
    if (entry.is_directory) names.push_back(entry.name);
  }
  return names;
}

std::optional<CacheId> ccd_of(std::string_view folder) {
  if (!folder.starts_with(kCcdPrefix)) return std::nullopt;
  const auto id = parse_integer<unsigned>(folder.substr(kCcdPrefix.size()));
  return id ? std::optional<CacheId>(CacheId{*id}) : std::nullopt;
}

}  // namespace

CounterFiles::CounterFiles(FileSystem& files, const std::string& mount_point)
    : root_(files.open_directory(mount_point)) {
  rescan();
}

std::string CounterFiles::lack() const {
  return shape_.events.empty() ? "resctrl counts neither occupancy nor bandwidth on this host: see bulkhead doctor"
                               : "";
}

// What is called otherwise now is another group: its series begins anew.
bool CounterFiles::follow(const std::vector<CountedGroup>& groups) {
  std::map<std::string, std::string> names;
  bool any = false;
  for (const CountedGroup& group : groups) {
    names[group.folder] = group.path;
    any = any || group.folder != group.path;
  }
  if (!any) names.clear();
  if (names == names_) return false;
  names_ = std::move(names);
  return true;
}

std::string CounterFiles::assign_free() {
  return assign_counters(*root_, shape_.groups).lack;
}

std::string CounterFiles::shown(const std::string& path) const {
  const std::string folder = control_group_of(path);
  const auto name = names_.find(folder);
  return name == names_.end() ? path : name->second + path.substr(folder.size());
}

void CounterFiles::find_ccds_and_events() {
  std::map<CacheId, std::string> found;  // folders are listed by name, which is not by number
  for (const std::string& folder : folders_in(*root_, std::string(kData))) {
    if (const auto ccd = ccd_of(folder)) found[*ccd] = folder;
  }
  shape_.ccds.clear();
  shape_.summed.clear();
  ccd_folders_.clear();
  for (const auto& [ccd, folder] : found) {
    shape_.ccds.push_back(ccd);
    ccd_folders_.push_back(folder);
    const auto parts = folders_in(*root_, in_group(std::string(kData), folder));
    if (std::any_of(parts.begin(), parts.end(),
                    [](const std::string& part) { return part.starts_with(kPartPrefix); })) {
      shape_.summed.push_back(ccd);
    }
  }
  shape_.events.clear();
  if (ccd_folders_.empty()) return;
  for (const CounterEvent event : kCounterEvents) {
    const std::string file = in_group(in_group(std::string(kData), ccd_folders_.front()), to_string(event));
    if (root_->exists(file)) shape_.events.push_back(event);
  }
}

// A group is what has mon_data; "info" and the folders of data have none.
std::vector<std::string> CounterFiles::group_paths() {
  std::vector<std::string> paths;
  const auto add_with_parts = [&](const std::string& control_group) {
    paths.push_back(control_group);
    const std::string folder = in_group(control_group, kMonitoringFolder);
    for (const std::string& name : folders_in(*root_, folder)) paths.push_back(in_group(folder, name));
  };
  add_with_parts("");
  for (const std::string& name : folders_in(*root_, "")) {
    if (name != kMonitoringFolder && root_->exists(in_group(name, kData)) && !is_spare(name))
      add_with_parts(name);
  }
  return paths;
}

// One of those that libpqos has made in advance, and that nobody uses.
bool CounterFiles::is_spare(const std::string& folder) {
  return !names_.empty() && !names_.contains(folder) && parse_class_name(folder) &&
         folders_in(*root_, in_group(folder, kMonitoringFolder)).empty();
}

std::vector<std::unique_ptr<File>> CounterFiles::open_files(const std::string& group) {
  std::vector<std::unique_ptr<File>> files;
  const auto data = root_->open_directory_if_there(in_group(group, kData));
  for (const CounterEvent event : shape_.events) {
    for (const std::string& folder : ccd_folders_) {
      files.emplace_back();
      if (data == nullptr) continue;
      try {
        files.back() = data->open(in_group(folder, to_string(event)), Access::read);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::not_found) throw;  // a CCD that went offline meanwhile has no folder
      }
    }
  }
  return files;
}

bool CounterFiles::rescan() {
  const CounterShape before = shape_;
  find_ccds_and_events();
  const bool same_files = before.ccds == shape_.ccds && before.events == shape_.events;
  std::map<std::string, Group> kept;
  for (Group& group : groups_) {
    if (same_files && !group.gone) kept.emplace(group.group.path, std::move(group));
  }
  groups_.clear();
  shape_.groups.clear();
  for (const std::string& path : group_paths()) {
    const auto found = kept.find(shown(path));
    if (found != kept.end()) {
      groups_.push_back(std::move(found->second));
    } else {
      groups_.push_back({.group = {shown(path), ++last_id_}, .files = open_files(path)});
    }
    shape_.groups.push_back(groups_.back().group);
  }
  return !same_files || before.groups != shape_.groups || before.summed != shape_.summed;
}

bool CounterFiles::read(CounterEvent event, std::size_t group, std::span<Reading> into) {
  Group& from = groups_[group];
  const auto row = std::find(shape_.events.begin(), shape_.events.end(), event) - shape_.events.begin();
  const std::size_t first = static_cast<std::size_t>(row) * shape_.ccds.size();
  for (std::size_t ccd = 0; ccd < shape_.ccds.size(); ++ccd) {
    const auto& file = from.files[first + ccd];
    into[ccd] = {0, NoData::unreadable};
    if (file == nullptr) continue;
    std::array<char, kLongestReading> text;  // not set: only what was read is looked at
    try {
      into[ccd] = parse_reading({text.data(), file->read_into(text)});
    } catch (const Error& error) {
      // A file of a group that was removed says so for ever, also when there is a new group of that name.
      const int number = error.detail().error_number;
      if (number == ENODEV || number == ENOENT) from.gone = true;
    }
  }
  return !from.gone;
}

}  // namespace bulkhead
