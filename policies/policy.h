// SPDX-License-Identifier: Apache-2.0
// A policy as it was written: what each service wants, before any machine is known. Every want keeps its
// place in the document, so that whatever the planner finds later can point at it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/units.h"
#include "controller/base/way_mask.h"
#include "policies/diagnostic.h"

namespace bulkhead {

// ---- which tasks

enum class SelectKind { unit, cgroup, exe, comm, pids, pidfile, others };

struct Select {
  SelectKind kind = SelectKind::others;
  std::string text;            // the unit, pattern, path or name; empty for pids and others
  std::vector<unsigned> pids;  // for pids only
  Place place;
};

// ---- which CPUs

enum class CpuScope { sockets, nodes, ccds, cores, cpus };  // cores only in counts
enum class CpuChoice {
  all,      // "all", also as {"of": "all", narrowing...}
  rest,     // "rest": what no exclusive service holds
  listed,   // {"ccds": "0-5"}; an id list of "all" becomes every id of that scope
  counted,  // {"count": {"ccds": 6}, "within": "node"}
};

struct CpuWant {
  CpuChoice choice = CpuChoice::all;
  CpuScope scope = CpuScope::cpus;  // of listed and counted
  CpuSet ids;                       // of listed; kernel ids of that scope
  bool every_id = false;            // of listed: "all"
  unsigned count = 0;               // of counted
  std::optional<CpuScope> within;   // of counted: all in one socket, node or ccd
  std::variant<std::monostate, unsigned, Percent>
      cores_per_ccd;                         // narrowing; percent rounds down, at least 1
  std::optional<unsigned> threads_per_core;  // narrowing
  unsigned thread = 0;  // with threads_per_core: 0 keeps the first threads of a core, 1 starts at the second
  Place place;
};

enum class Partition { member, root, isolated };
struct MemoryWant {
  enum class Kind {
    unchanged,
    local,
    all,
    nodes
  } kind = Kind::unchanged;  // unchanged: the policy does not say
  CpuSet nodes;              // for nodes
  Place place;
};

// ---- how much cache and bandwidth

struct Ways {
  unsigned count = 0;
  bool operator==(const Ways&) const = default;
};
struct CacheSize {
  std::uint64_t bytes = 0;
  bool operator==(const CacheSize&) const = default;
};
using CacheAmount = std::variant<Percent, Ways, CacheSize, WayMask>;

struct CacheWant {
  CacheAmount data;                 // of both code and data, unless code is set
  std::optional<CacheAmount> code;  // {"code": ..., "data": ...}, for hosts mounted with cdp
  Place place;
};

struct Unlimited {
  bool operator==(const Unlimited&) const = default;
};
struct Rate {
  std::uint64_t bytes_per_second = 0;  // per CCD
  bool operator==(const Rate&) const = default;
};
using BandwidthAmount = std::variant<Unlimited, Rate, Percent>;

struct BandwidthWant {
  BandwidthAmount memory;
  std::optional<BandwidthAmount> slow;  // {"memory": ..., "slow": ...}: slow memory (SMBA)
  Place place;
};

struct ServiceClass {
  std::string name;
  std::optional<CacheWant> l3;
  std::optional<BandwidthWant> bandwidth;
  Place place;
};

// ---- a service

enum class Assign { automatic, cpus, tasks };

struct Service {
  std::string name;
  Place place;  // of its key
  Select select;
  CpuWant cpus;
  bool exclusive_cpus = false;
  Partition partition = Partition::member;
  MemoryWant memory;
  std::string service_class;  // empty for none; then l3 and bandwidth are its own
  Place class_place;
  std::optional<CacheWant> l3;
  bool l3_exclusive = false;
  Place l3_exclusive_place;
  std::optional<BandwidthWant> bandwidth;
  Assign assign = Assign::automatic;
  Place assign_place;
};

// ---- what counts as holding

struct VerifySettings {
  Percent occupancy_slack{1000};             // 10 % over the mask's capacity still holds
  std::chrono::milliseconds settle{30'000};  // after a change, before occupancy is judged
  Percent max_bandwidth_overshoot{1000};
};

struct Policy {
  std::string name;
  std::string summary;
  std::vector<Service> services;  // in the order of the document, which is the order of all tie-breaking
  std::vector<ServiceClass> classes;
  VerifySettings verify;

  const Service* find_service(const std::string& service_name) const;
  const ServiceClass* find_class(const std::string& class_name) const;
};

}  // namespace bulkhead
