// SPDX-License-Identifier: Apache-2.0
// The values that make up a mounted resctrl.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "simulator/kernel_model/shape.h"

namespace bulkhead::sim {

// One line of schemata files: a resource, or the code or data half of one.
struct Schema {
  std::string name;    // "L3", "L3CODE", "MB"
  std::string half;    // the other half's name under CDP, else empty
  unsigned level = 3;  // of the cache whose ids are the domains'
  unsigned closids = 0;
  bool code_and_data = false;         // the hardware can split it
  const CacheShape* cache = nullptr;  // else bandwidth is set
  const BandwidthShape* bandwidth = nullptr;

  std::uint64_t full_mask() const { return (std::uint64_t{1} << cache->mask_bits) - 1; }
};

enum class GroupMode { shareable, exclusive };

using DomainValues = std::map<unsigned, std::uint64_t>;  // domain id -> mask or bandwidth

struct Group {
  std::uint64_t identity = 0;
  std::string name;         // empty for the default group
  Group* parent = nullptr;  // of a monitoring group: its control group
  unsigned closid = 0;
  unsigned rmid = 0;
  CpuSet cpus;
  GroupMode mode = GroupMode::shareable;
  std::string steering_event = "mbm_local_bytes";  // of mba_MBps
  std::map<std::string, DomainValues> values;      // by schema
  std::vector<std::unique_ptr<Group>> monitoring;  // as they were made

  bool is_control() const { return parent == nullptr; }
};

}  // namespace bulkhead::sim
