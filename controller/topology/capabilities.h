// SPDX-License-Identifier: Apache-2.0
// What the kernel and the hardware can allocate and count, as resctrl's info/ says it, or a machine file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/base/identifiers.h"
#include "controller/base/way_mask.h"

namespace bulkhead {

struct CacheCapability {
  unsigned closids = 0;
  WayMask full;           // info/L3/cbm_mask
  unsigned min_ways = 1;  // what the kernel demands; never below 1 here, even where AMD says 0
  WayMask shareable;      // ways that devices may write to as well
  bool sparse = false;    // masks may have gaps

  unsigned ways() const { return full.count(); }
  bool operator==(const CacheCapability&) const = default;
};

enum class BandwidthUnit {
  percent,         // Intel: percent of the hardware's delay scale
  eighth_gb,       // AMD: multiples of 1/8 GB/s per L3 domain
  mib_per_second,  // mounted with mba_MBps
};

struct BandwidthCapability {
  unsigned closids = 0;
  BandwidthUnit unit = BandwidthUnit::percent;
  std::uint32_t min = 0;
  std::uint32_t granularity = 1;  // the kernel rounds up to a multiple
  std::uint32_t unlimited = 100;  // read from a fresh group, never assumed

  bool operator==(const BandwidthCapability&) const = default;
};

struct MonitoringCapability {
  unsigned rmids = 0;
  std::vector<std::string> events;  // "llc_occupancy", "mbm_total_bytes", ...

  bool operator==(const MonitoringCapability&) const = default;
};

struct Capabilities {
  bool resctrl = false;       // there is a mounted resctrl (or a machine file says so)
  std::string mount_options;  // those that matter here, "cdp,mba_MBps"
  std::optional<CacheCapability> l3;
  bool cdp = false;                   // l3 is split into code and data; closids above are after halving
  std::optional<CacheCapability> l2;  // shown, never planned
  std::optional<BandwidthCapability> memory;  // MB
  std::optional<BandwidthCapability> slow;    // SMBA
  std::optional<MonitoringCapability> monitoring;
  std::vector<CacheId> domains;     // of l3 and memory bandwidth, ascending: the ids that schemata knows
  std::uint64_t ccd_bandwidth = 0;  // bytes a second that one CCD can get; 0 unknown

  // Control groups that can exist, the default one included: the least over all resources. 0 without
  // allocation.
  unsigned closids() const;
  bool operator==(const Capabilities&) const = default;
};

}  // namespace bulkhead
