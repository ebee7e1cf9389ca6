// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/proc_view.h"

#include <algorithm>
#include <array>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

constexpr std::string_view kReal = ".real";

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts = split(path, '/');
  std::erase(parts, "");
  return parts;
}

bool is_number(std::string_view text) {
  return parse_integer<unsigned>(text).has_value();
}

template <std::size_t Count>
bool is_one_of(std::string_view name, const std::array<std::string_view, Count>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Below /proc/PID or /proc/PID/task/TID.
Place place_of_task(const std::vector<std::string_view>& parts, std::size_t at) {
  constexpr std::array<std::string_view, 7> kModelled = {
      "cgroup", "cpu_resctrl_groups", "cpuset", "mountinfo", "mounts", "stat", "status"};
  constexpr std::array<std::string_view, 3> kRealLinks = {"cwd", "exe", "root"};
  if (parts.size() == at) return Place::folder;
  if (parts[at] == "task" && at == 2) {
    if (parts.size() == at + 1) return Place::modelled;
    return place_of_task(parts, at + 2);
  }
  if (parts.size() != at + 1) return Place::linked;
  if (is_one_of(parts[at], kModelled)) return Place::modelled;
  return is_one_of(parts[at], kRealLinks) ? Place::real_link : Place::linked;
}

Place place_in_proc(const std::vector<std::string_view>& parts) {
  constexpr std::array<std::string_view, 5> kModelled = {"cpuinfo", "filesystems", "mounts", "self",
                                                         "thread-self"};
  if (parts.size() == 1) return Place::folder;
  if (is_number(parts[1])) return place_of_task(parts, 2);
  return parts.size() == 2 && is_one_of(parts[1], kModelled) ? Place::modelled : Place::linked;
}

Place place_in_sys(const std::vector<std::string_view>& parts) {
  static const std::vector<std::vector<std::string_view>> kFolders = {
      {"sys"}, {"sys", "devices"}, {"sys", "devices", "system"}, {"sys", "fs"}};
  static const std::vector<std::vector<std::string_view>> kModelled = {{"sys", "devices", "system", "cpu"},
                                                                       {"sys", "devices", "system", "node"},
                                                                       {"sys", "fs", "cgroup"},
                                                                       {"sys", "fs", "resctrl"}};
  if (std::ranges::find(kFolders, parts) != kFolders.end()) return Place::folder;
  const bool modelled = std::ranges::any_of(kModelled, [&](const auto& top) {
    return parts.size() >= top.size() && std::equal(top.begin(), top.end(), parts.begin());
  });
  return modelled ? Place::modelled : Place::linked;
}

}  // namespace

Place place_of(std::string_view path) {
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.empty()) return Place::modelled;
  if (parts.size() == 2 && parts[1] == kReal) return Place::real_root;
  if (parts[0] == "proc") return place_in_proc(parts);
  if (parts[0] == "sys") return place_in_sys(parts);
  return Place::modelled;
}

std::string real_path(std::string_view path) {
  const auto end_of_top = path.find('/', 1);
  const std::string_view top = path.substr(0, end_of_top);
  const std::string_view rest = end_of_top == std::string_view::npos ? "" : path.substr(end_of_top);
  return std::string(top) + '/' + std::string(kReal) + std::string(rest);
}

std::string merged_status(std::string_view real, std::string_view modelled) {
  constexpr std::array<std::string_view, 4> kOurs = {
      "Cpus_allowed:", "Cpus_allowed_list:", "Mems_allowed:", "Mems_allowed_list:"};
  const std::vector<std::string_view> model_lines = split(modelled, '\n');
  std::string text;
  for (const std::string_view line : split(real, '\n')) {
    if (line.empty()) continue;
    const auto key =
        std::ranges::find_if(kOurs, [&](std::string_view ours) { return line.starts_with(ours); });
    const auto found = key == kOurs.end() ? model_lines.end()
                                          : std::ranges::find_if(model_lines, [&](std::string_view ours) {
                                              return ours.starts_with(*key);
                                            });
    text += std::string(found == model_lines.end() ? line : *found) + '\n';
  }
  return text;
}

std::string merged_stat(std::string_view real, std::string_view modelled) {
  constexpr std::size_t kProcessor = 39 - 3;  // among the fields behind the name, which is the second
  const auto begin_of_processor = [](std::string_view line) {
    std::size_t at = line.rfind(") ");
    for (std::size_t field = 0; field <= kProcessor && at != std::string_view::npos; ++field)
      at = line.find(' ', at + 1);
    return at;
  };
  const std::size_t ours = begin_of_processor(modelled), theirs = begin_of_processor(real);
  if (ours == std::string_view::npos || theirs == std::string_view::npos) return std::string(real);
  const std::string_view processor = modelled.substr(ours, modelled.find(' ', ours + 1) - ours);
  return std::string(real.substr(0, theirs))
      .append(processor)
      .append(real.substr(real.find(' ', theirs + 1)));
}

std::optional<unsigned> process_in(std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  if (!path.starts_with(kProc)) return std::nullopt;
  path.remove_prefix(kProc.size());
  return parse_integer<unsigned>(path.substr(0, path.find('/')));
}

bool is_half_real(std::string_view path) {
  constexpr std::array<std::string_view, 3> kNames = {"status", "mounts", "mountinfo"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "stat") return process_in(path).has_value();  // /proc/stat is of the whole host
  return path.starts_with("/proc/") && is_one_of(name, kNames);
}

std::string half_real(std::string_view path, std::string_view real, std::string_view modelled) {
  constexpr std::size_t kTargetInMounts = 1, kTargetInMountInformation = 4;
  if (path.ends_with("/status")) return merged_status(real, modelled);
  if (path.ends_with("/stat")) return merged_stat(real, modelled);
  return merged_mounts(real, modelled,
                       path.ends_with("/mounts") ? kTargetInMounts : kTargetInMountInformation);
}

std::string merged_mounts(std::string_view real, std::string_view modelled, std::size_t column) {
  const auto is_ours = [column](std::string_view line) {
    const auto fields = split(line, ' ');
    if (fields.size() <= column) return false;
    const auto parts = parts_of(fields[column]);
    return !parts.empty() && (parts[0] == "proc" || parts[0] == "sys");
  };
  std::string text;
  for (const std::string_view line : split(real, '\n')) {
    if (!line.empty() && !is_ours(line)) text += std::string(line) + '\n';
  }
  for (const std::string_view line : split(modelled, '\n')) {
    if (is_ours(line)) text += std::string(line) + '\n';
  }
  return text;
}

}  // namespace bulkhead::sim
