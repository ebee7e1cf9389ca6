// SPDX-License-Identifier: Apache-2.0
// What makes up a mounted resctrl, and questions about it that change nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "simulator/kernel_model/shape.h"
#include "simulator/kernel_model/world.h"

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

class ResctrlState {
 public:
  // Each control group before its monitoring groups, the default one first; none while it is not mounted.
  std::vector<const Group*> all_groups() const;

 protected:
  explicit ResctrlState(World& world) : world_(world) {}

  bool has_option(const std::string& option) const { return options_.contains(option); }
  CpuSet domains(unsigned level) const;
  unsigned domain_of(unsigned level, unsigned cpu) const;
  std::uint64_t default_value(const Schema& schema) const;
  std::uint64_t value_of(const Group& group, const Schema& schema, unsigned domain) const;
  bool overlaps(const Group& group, const Schema& schema, unsigned domain, std::uint64_t mask,
                bool exclusive_only) const;
  void for_each_other(const Group& group, const std::function<void(Group&)>& visit);
  Group* find_group(const std::string& path) const;

  World& world_;
  std::set<std::string> options_;
  std::vector<Schema> schemas_;  // in the order of schemata files
  std::unique_ptr<Group> root_;
  std::vector<std::unique_ptr<Group>> groups_;  // control groups, as they were made
  std::unique_ptr<Group> io_;                   // the masks of devices, while io_alloc is on
  std::set<unsigned> free_closids_;
};

}  // namespace bulkhead::sim
