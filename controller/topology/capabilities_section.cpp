// SPDX-License-Identifier: Apache-2.0
#include "controller/topology/capabilities_section.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "controller/base/text.h"
#include "controller/topology/machine_keys.h"

namespace bulkhead {
namespace {

constexpr std::array<std::string_view, 10> kCapabilityKeys{
    "resctrl",          "mount_options",  "l3",         "l2",      "cdp",
    "memory_bandwidth", "slow_bandwidth", "monitoring", "domains", "ccd_bandwidth"};
constexpr std::array<std::string_view, 5> kCacheKeys{"closids", "mask", "min_ways", "shareable", "sparse"};
constexpr std::array<std::string_view, 5> kBandwidthKeys{"closids", "unit", "min", "granularity",
                                                         "unlimited"};
constexpr std::array<std::string_view, 2> kMonitoringKeys{"rmids", "events"};

// Generous bounds: today's processors have 16 CLOSIDs and 4096 RMIDs.
constexpr std::uint32_t kMostClosids = 65536;
constexpr std::uint32_t kMostRmids = 1U << 20;
constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();

CacheCapability read_cache(const MachineSection& section) {
  CacheCapability cache;
  cache.closids = section.number("closids", 1, kMostClosids);
  cache.full = section.mask("mask");
  if (cache.full.empty() || !cache.full.contiguous() || !cache.full.contains(WayMask{1})) {
    throw section.error_at("mask", "the mask must be one run of ways from way 0 on, like \"fff\"");
  }
  if (section.has("min_ways")) cache.min_ways = section.number("min_ways", 1, cache.ways());
  if (section.has("shareable")) cache.shareable = section.mask("shareable");
  if (!cache.full.contains(cache.shareable)) {
    throw section.error_at("shareable", "the ways " + (cache.shareable - cache.full).to_hex() +
                                            " are not in the mask " + cache.full.to_hex());
  }
  if (section.has("sparse")) cache.sparse = section.flag("sparse");
  return cache;
}

BandwidthUnit read_unit(const MachineSection& section) {
  const std::string word = section.text("unit");
  std::array<std::string_view, kBandwidthUnitWords.size()> words;
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (kBandwidthUnitWords[index].word == word) return kBandwidthUnitWords[index].unit;
    words[index] = kBandwidthUnitWords[index].word;
  }
  std::string message = "there is no unit \"" + word + "\"";
  const std::string_view meant = closest(word, words);
  if (!meant.empty()) {
    message += "; did you mean \"" + std::string(meant) + "\"?";
  } else {
    message += R"(; there are "percent", "eighth_gb" and "mib_per_second")";
  }
  throw section.error_at("unit", message);
}

BandwidthCapability read_bandwidth(const MachineSection& section) {
  BandwidthCapability bandwidth;
  bandwidth.closids = section.number("closids", 1, kMostClosids);
  bandwidth.unit = read_unit(section);
  bandwidth.unlimited = section.number("unlimited", 1, kLargest);
  bandwidth.min = section.number("min", 0, bandwidth.unlimited);
  bandwidth.granularity = section.number("granularity", 1, bandwidth.unlimited);
  return bandwidth;
}

MonitoringCapability read_monitoring(const MachineSection& section) {
  return {.rmids = section.number("rmids", 1, kMostRmids), .events = section.texts("events")};
}

std::vector<CacheId> domains_of(const MachineSection& section, const Machine& machine) {
  std::vector<CacheId> domains;
  if (section.has("domains")) {
    domains = section.ids("domains");
    if (std::ranges::adjacent_find(domains, std::ranges::greater_equal{}) != domains.end()) {
      throw section.error_at("domains", "the ids must ascend");
    }
    return domains;
  }
  for (const Ccd& ccd : machine.ccds) domains.push_back(ccd.id);
  return domains;
}

}  // namespace

Capabilities read_capabilities_section(const MachineSection& file, const Machine& machine) {
  Capabilities result;
  if (!file.has("capabilities")) return result;
  const MachineSection section = file.section("capabilities", kCapabilityKeys);
  result.resctrl = !section.has("resctrl") || section.flag("resctrl");
  if (section.has("mount_options")) result.mount_options = section.text("mount_options");
  if (section.has("cdp")) result.cdp = section.flag("cdp");
  if (section.has("l3")) result.l3 = read_cache(section.section("l3", kCacheKeys));
  if (section.has("l2")) result.l2 = read_cache(section.section("l2", kCacheKeys));
  if (section.has("memory_bandwidth")) {
    result.memory = read_bandwidth(section.section("memory_bandwidth", kBandwidthKeys));
  }
  if (section.has("slow_bandwidth")) {
    result.slow = read_bandwidth(section.section("slow_bandwidth", kBandwidthKeys));
  }
  if (section.has("monitoring")) {
    result.monitoring = read_monitoring(section.section("monitoring", kMonitoringKeys));
  }
  if (section.has("ccd_bandwidth")) result.ccd_bandwidth = section.rate("ccd_bandwidth");
  result.domains = domains_of(section, machine);
  return result;
}

}  // namespace bulkhead
