// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/monitoring_info.h"

#include <algorithm>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::string_view kConfigurableEnding = "_config";

template <class Number>
std::optional<Number> number_in(Directory& info, const std::string& file) {
  const auto text = info.read_if_there(file);
  return text ? parse_integer<Number>(trim(*text)) : std::nullopt;
}

// "0=32;4=30"
std::map<CacheId, unsigned> numbers_in(Directory& info, const std::string& file) {
  std::map<CacheId, unsigned> numbers;
  const std::string text = info.read_if_there(file).value_or("");
  for (const std::string_view part : split(trim(text), ';')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const auto domain = parse_integer<unsigned>(trim(part.substr(0, equals)));
    const auto number = parse_integer<unsigned>(trim(part.substr(equals + 1)));
    if (domain && number) numbers[CacheId{*domain}] = *number;
  }
  return numbers;
}

void read_events(Directory& info, MonitoringInfo& found) {
  const std::string features = info.read_if_there("mon_features").value_or("");
  for (const std::string_view line : split(features, '\n')) {
    std::string_view event = trim(line);
    if (event.empty()) continue;
    const bool is_configurable = event.ends_with(kConfigurableEnding);
    if (is_configurable) event.remove_suffix(kConfigurableEnding.size());
    (is_configurable ? found.configurable : found.events).emplace_back(event);
  }
}

// One mode a line, the one in force in brackets.
void read_modes(Directory& info, MonitoringInfo& found) {
  const std::string modes = info.read_if_there("mbm_assign_mode").value_or("");
  for (const std::string_view line : split(modes, '\n')) {
    std::string_view mode = trim(line);
    const bool in_force = mode.starts_with('[') && mode.ends_with(']');
    if (in_force) {
      mode = mode.substr(1, mode.size() - 2);
      found.assign_mode = mode;
    }
    if (!mode.empty()) found.assign_modes.emplace_back(mode);
  }
}

bool has_clusters(Directory& resctrl) {
  const auto data = resctrl.open_directory_if_there("mon_data");
  if (data == nullptr) return false;
  for (const DirectoryEntry& ccd : data->list()) {
    if (!ccd.is_directory) continue;
    const auto folder = data->open_directory_if_there(ccd.name);
    const std::vector<DirectoryEntry> parts = folder ? folder->list() : std::vector<DirectoryEntry>{};
    return std::any_of(parts.begin(), parts.end(),
                       [](const DirectoryEntry& part) { return part.name.starts_with("mon_sub_L3_"); });
  }
  return false;
}

}  // namespace

std::optional<MonitoringInfo> read_monitoring_info(Directory& resctrl) {
  const auto info = resctrl.open_directory_if_there("info/L3_MON");
  if (info == nullptr) return std::nullopt;
  MonitoringInfo found;
  read_events(*info, found);
  found.rmids = number_in<unsigned>(*info, "num_rmids").value_or(0);
  found.reuse_threshold = number_in<std::uint64_t>(*info, "max_threshold_occupancy");
  read_modes(*info, found);
  found.counters = numbers_in(*info, "num_mbm_cntrs");
  if (found.assigns()) found.available = numbers_in(*info, "available_mbm_cntrs");
  found.summed = has_clusters(resctrl);
  return found;
}

}  // namespace bulkhead
