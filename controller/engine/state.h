// SPDX-License-Identifier: Apache-2.0
// What is remembered between runs: the policy in force, and the baseline, which is how everything that is
// changed now stood before the first apply.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/engine/store.h"
#include "controller/planner/observed.h"
#include "controller/planner/step.h"
#include "controller/resctrl/group_actuator.h"

namespace bulkhead {

// What a cgroup had before; nothing where that file was never changed.
struct CpusetImage {
  std::optional<std::string> cpus, memory_nodes, partition;
  bool operator==(const CpusetImage&) const = default;
};

struct Baseline {
  Schemata default_group;
  std::map<std::string, CpusetImage> cpusets;  // by cgroup path
  std::map<std::string, std::string> units;    // unit -> its limits, as a set_unit step writes them
  std::vector<std::string> enabled;            // cgroups whose children we gave cpuset files, in that order
  std::map<std::string, std::map<unsigned, std::string>>
      made;  // cgroup that we made -> process -> where it was
  std::uint32_t memory_unlimited = 0,
                slow_unlimited = 0;  // bandwidth's largest value, seen before anything was capped

  bool operator==(const Baseline&) const = default;
  bool empty() const { return *this == Baseline{}; }

  // Takes in what `steps` changed. What is remembered already stays: it is older.
  void remember(const std::vector<Step>& steps);

  // Keeps what speaks of `targets` (cgroup paths and units) and of the default group's domains in
  // `default_group`. The rest stands again as it was; a later reset must not undo what somebody else does to
  // it from now on.
  void keep_only(const std::vector<std::string>& targets, const Schemata& default_group);
};

// Processes that were given to services by hand: service -> process -> when it started, in clock ticks since
// boot, since the kernel gives its number to somebody else once it has gone.
using Attached = std::map<std::string, std::map<unsigned, std::uint64_t>>;

struct State {
  std::string transaction;  // the last one that was completed
  std::uint64_t generation = 0;
  std::string policy_text;  // empty: none in force
  std::string policy_file;
  std::string applied_at;            // UTC, ISO 8601
  std::uint64_t ccd_bandwidth = 0;   // bytes a second, as the operator said; 0 if not
  std::string actuator = "resctrl";  // that the policy was applied through
  GroupClasses classes;              // numbers of our groups, where it has numbers for them
  Attached attached;
  Baseline baseline;
  bool baseline_lost = false;  // an earlier one, of what was in force when this was applied
};

// Throws Error(refused) with the path if the file makes no sense.
State read_state(const Store& store);
void write_state(Store& store, const State& state);
void remove_state(Store& store);
std::string set_aside_state(Store& store);  // where it is then

}  // namespace bulkhead
