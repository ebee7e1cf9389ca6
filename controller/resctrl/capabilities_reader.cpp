// SPDX-License-Identifier: Apache-2.0
#include "controller/resctrl/capabilities_reader.h"

#include <algorithm>
#include <set>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

constexpr std::uint32_t kWholePercent = 100;

// One folder of info/, with its files as numbers.
class InfoFolder {
 public:
  InfoFolder(Directory& resctrl, const std::string& name)
      : folder_(resctrl.open_directory_if_there("info/" + name)) {}

  explicit operator bool() const { return folder_ != nullptr; }

  std::optional<std::string> text(const std::string& name) { return folder_->read_if_there(name); }

  unsigned number(const std::string& name, unsigned otherwise = 0) {
    const auto content = text(name);
    if (!content) return otherwise;
    const auto value = parse_integer<unsigned>(trim(*content));
    if (!value) refuse(name, *content, "a number");
    return *value;
  }

  WayMask mask(const std::string& name) {
    const auto content = text(name);
    if (!content) return {};
    const auto value = WayMask::parse(trim(*content));
    if (!value) refuse(name, *content, "a hexadecimal mask");
    return *value;
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& content, const std::string& wanted) {
    constexpr std::size_t kMost = 40;
    throw Error(
        ErrorDetail{.code = ErrorCode::refused,
                    .message = "'" + std::string(trim(content).substr(0, kMost)) + "' is not " + wanted,
                    .path = folder_->path() + '/' + name});
  }

  std::unique_ptr<Directory> folder_;
};

// Of "L3", or of the halves that a mount with cdp makes of it.
std::optional<CacheCapability> read_cache(Directory& resctrl, const std::string& name, bool is_amd) {
  std::optional<CacheCapability> found;
  for (const std::string& part : {name, name + "CODE", name + "DATA"}) {
    InfoFolder info(resctrl, part);
    if (!info) continue;
    const unsigned closids = info.number("num_closids");
    if (found) {
      found->closids = std::min(found->closids, closids);
      continue;
    }
    found = CacheCapability{.closids = closids,
                            .full = info.mask("cbm_mask"),
                            .min_ways = std::max(1U, info.number("min_cbm_bits", 1)),
                            .shareable = info.mask("shareable_bits")};
    // The file is there from kernel 6.7 on; before, gaps were taken on AMD and refused on Intel.
    found->sparse = info.text("sparse_masks") ? info.number("sparse_masks") != 0 : is_amd;
  }
  return found;
}

std::optional<BandwidthCapability> read_bandwidth(Directory& resctrl, const std::string& name,
                                                  BandwidthUnit unit) {
  InfoFolder info(resctrl, name);
  if (!info) return std::nullopt;
  return BandwidthCapability{.closids = info.number("num_closids"),
                             .unit = unit,
                             .min = info.number("min_bandwidth"),
                             .granularity = std::max(1U, info.number("bandwidth_gran", 1)),
                             .unlimited = unit == BandwidthUnit::percent ? kWholePercent : 0};
}

std::optional<MonitoringCapability> read_monitoring(Directory& resctrl) {
  InfoFolder info(resctrl, "L3_MON");
  if (!info) return std::nullopt;
  MonitoringCapability capability{.rmids = info.number("num_rmids")};
  const std::string features = info.text("mon_features").value_or("");
  for (const std::string_view line : split(features, '\n')) {
    const std::string_view event = trim(line);
    // "mbm_total_bytes_config" says that the event can be set up; it is no event.
    if (!event.empty() && !event.ends_with("_config")) capability.events.emplace_back(event);
  }
  return capability;
}

std::vector<Schemata> all_schemata(Directory& resctrl) {
  std::vector<Schemata> found;
  const auto add = [&](const std::string& name) {
    if (const auto text = resctrl.read_if_there(name)) found.push_back(parse_schemata(*text));
  };
  add("schemata");
  for (const DirectoryEntry& entry : resctrl.list()) {
    if (entry.is_directory) add(entry.name + "/schemata");
  }
  return found;
}

void raise_unlimited(const std::vector<Schemata>& groups, Resource resource,
                     std::optional<BandwidthCapability>& capability) {
  if (!capability) return;
  for (const Schemata& schemata : groups) {
    const auto values = schemata.find(resource);
    if (values == schemata.end()) continue;
    for (const auto& [domain, value] : values->second) {
      const auto clipped = std::min<std::uint64_t>(value, UINT32_MAX);
      capability->unlimited = std::max(capability->unlimited, static_cast<std::uint32_t>(clipped));
    }
  }
}

// Those of the schemata; where nothing is allocated, those that are counted.
std::vector<CacheId> read_domains(Directory& resctrl, const Schemata& schemata) {
  std::set<CacheId> ids;
  for (const auto& [resource, values] : schemata) {
    for (const auto& [domain, value] : values) ids.insert(domain);
  }
  const auto counters = ids.empty() ? resctrl.open_directory_if_there("mon_data") : nullptr;
  constexpr std::string_view kPrefix = "mon_L3_";
  for (const DirectoryEntry& entry : counters ? counters->list() : std::vector<DirectoryEntry>{}) {
    if (!entry.name.starts_with(kPrefix)) continue;
    const auto id = parse_integer<unsigned>(std::string_view(entry.name).substr(kPrefix.size()));
    if (id) ids.insert(CacheId{*id});
  }
  return {ids.begin(), ids.end()};
}

BandwidthUnit unit_of(const std::string& mount_options, bool is_amd) {
  if (mount_options.find("mba_MBps") != std::string::npos) return BandwidthUnit::mib_per_second;
  return is_amd ? BandwidthUnit::eighth_gb : BandwidthUnit::percent;
}

}  // namespace

Capabilities read_info(Directory& resctrl, const std::string& mount_options, const std::string& vendor) {
  const bool is_amd = vendor == "amd";
  const BandwidthUnit unit = unit_of(mount_options, is_amd);
  Capabilities found{.resctrl = true, .mount_options = mount_options};
  found.l3 = read_cache(resctrl, "L3", is_amd);
  found.cdp = resctrl.exists("info/L3CODE");
  found.l2 = read_cache(resctrl, "L2", is_amd);
  found.memory = read_bandwidth(resctrl, "MB", unit);
  found.slow = read_bandwidth(resctrl, "SMBA", unit);
  found.monitoring = read_monitoring(resctrl);
  return found;
}

void add_from_groups(const std::vector<Schemata>& groups, Directory& resctrl, Capabilities& capabilities) {
  raise_unlimited(groups, Resource::memory_bandwidth, capabilities.memory);
  raise_unlimited(groups, Resource::slow_bandwidth, capabilities.slow);
  if (!groups.empty()) capabilities.domains = read_domains(resctrl, groups.front());
}

Capabilities read_capabilities(FileSystem& files, const ResctrlPresence& presence,
                               const std::string& vendor) {
  if (presence.state != ResctrlState::mounted) return {};
  const auto resctrl = files.open_directory(presence.mount_point);
  Capabilities found = read_info(*resctrl, presence.mount_options, vendor);
  add_from_groups(all_schemata(*resctrl), *resctrl, found);
  return found;
}

}  // namespace bulkhead
