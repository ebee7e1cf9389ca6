// SPDX-License-Identifier: Apache-2.0
// A plan: the state that a policy wants on one machine. Everything in it is final: no percent, no count, no
// name that the kernel does not know. Values only; the JSON of `plan --json` is written by plan_json.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/base/cpu_set.h"
#include "controller/base/identifiers.h"
#include "controller/base/way_mask.h"
#include "policies/policy.h"

namespace bulkhead {

// Every group that is ours has a name with this prefix, in every folder of resctrl.
inline constexpr std::string_view kGroupPrefix = "bulkhead.";

// The lines of a schemata file that are planned.
enum class Resource { l3, l3_code, l3_data, memory_bandwidth, slow_bandwidth };

// Values by domain: way masks as their bits, bandwidth in the kernel's unit. Domains not named keep what
// they have.
using DomainValues = std::map<CacheId, std::uint64_t>;
using Schemata = std::map<Resource, DomainValues>;

struct MonitoringGroup {
  std::string name;  // "bulkhead.SERVICE", in mon_groups of its control group
  std::string service;
  CpuSet cpus;  // only where the control group takes CPUs
  bool operator==(const MonitoringGroup&) const = default;
};

struct ControlGroup {
  std::string name;                   // "bulkhead.NAME"; empty for the default group
  std::vector<std::string> services;  // in the policy's order; may be empty for the default group
  bool takes_cpus = false;            // its CPUs are written to cpus_list; else its tasks are moved
  CpuSet cpus;                        // only if takes_cpus
  Schemata schemata;
  // One a service where several share the group, or in the default group.
  std::vector<MonitoringGroup> monitoring;
  bool operator==(const ControlGroup&) const = default;
};

// A cgroup that is confined.
struct CpusetPlan {
  std::string service;
  Select select;  // others: every other cgroup, from the top down, that holds no service
  CpuSet cpus;
  CpuSet memory_nodes;  // empty: left as it is
  Partition partition = Partition::member;
};

// What one service asked for and what it became; both as text for people, and by CCD for programs.
struct ServiceEffect {
  std::string service;
  std::string group;  // its control group, empty for the default one
  CpuSet cpus;
  std::vector<CacheId> ccds;  // where it may run
  // "6 CCDs within a node", "75%", "unlimited"; empty where the policy says nothing.
  std::string asked_cpus, asked_l3, asked_bandwidth;
  // "CPUs 0-95,192-287: CCDs 0-5", "12 of 16 ways, 24 MiB (mask fff)", "unlimited".
  std::string planned_cpus, planned_l3, planned_bandwidth;
  bool exclusive_cpus = false;
  bool l3_exclusive = false;
};

struct Plan {
  std::string policy;                // its name
  std::string machine;               // its name
  std::vector<ControlGroup> groups;  // named ones by their first service; then the default group, if planned
  std::vector<CpusetPlan> cpusets;   // in the policy's order
  std::vector<ServiceEffect> services;  // in the policy's order
  std::vector<std::string> notes;       // what an operator should know: roundings, shareable ways, ...

  const ControlGroup* find_group(const std::string& name) const;
  const ServiceEffect* find_service(const std::string& name) const;
};

}  // namespace bulkhead
