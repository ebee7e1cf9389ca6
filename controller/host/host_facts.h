// SPDX-License-Identifier: Apache-2.0
// What was found on a host, before anybody judges it. Values only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/hierarchy.h"
#include "controller/host/counter_facts.h"
#include "controller/resctrl/capabilities_reader.h"
#include "controller/resctrl/group_actuator.h"
#include "controller/topology/capabilities.h"
#include "controller/topology/machine.h"

namespace bulkhead {

struct GroupFacts {
  std::string name;
  bool ours = false;
  std::size_t monitoring = 0;  // groups in it

  bool operator==(const GroupFacts&) const = default;
};

struct HostFacts {
  std::string kernel;  // its release
  unsigned user = 0;   // effective user id
  ResctrlPresence presence;
  Capabilities capabilities;
  std::vector<GroupFacts> groups;      // control groups without the default one
  std::size_t default_monitoring = 0;  // monitoring groups of the default group
  std::string resctrl_problem;         // why resctrl could not be read; else empty
  CounterFacts counters;
  Machine machine;
  Hierarchy hierarchy;
  bool cpuset_enabled = false;  // the root gives cpuset files to its children
  bool systemd = false;

  // What earlier runs left; the caller knows.
  std::string policy_in_force;  // its file; empty for none
  GroupClasses classes;         // of our groups, where that was written through libpqos: the n of COSn
  std::string interrupted;      // the action of a transaction that was not completed
  std::string memory_problem;   // why that could not be read
};

}  // namespace bulkhead
