// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controller/base/text.h"
#include "controller/host/checks.h"

namespace bulkhead {
namespace {

bool has_ours(const HostFacts& facts) {
  return std::any_of(facts.groups.begin(), facts.groups.end(),
                     [](const GroupFacts& group) { return group.ours; });
}

// A node boundary inside of an L3 cache: its lines belong to several nodes, and so do its counters.
void check_clusters(const Machine& machine, Findings& findings) {
  for (const Ccd& ccd : machine.ccds) {
    if (ccd.nodes.size() < 2) continue;
    findings.push_back(
        {FindingLevel::note,
         "CCD " + to_string(ccd.id) + " spans the nodes " + ccd.nodes.to_list() +
             " (sub-NUMA clustering): its L3 and its counters are those of all of them together",
         ""});
    return;
  }
}

}  // namespace

void check_rights(const HostFacts& facts, Findings& findings) {
  findings.push_back({FindingLevel::ok, "Linux " + facts.kernel, ""});
  if (facts.user == 0) return;
  findings.push_back({FindingLevel::problem,
                      "this is user " + std::to_string(facts.user) + ", who may only look",
                      "run it as root to apply policies"});
}

void check_machine(const HostFacts& facts, Findings& findings) {
  const Machine& machine = facts.machine;
  const std::string what = counted(machine.sockets.size(), "socket") + ", " +
                           counted(machine.nodes.size(), "node") + ", " +
                           counted(machine.ccds.size(), "CCD") + ", " + counted(machine.cpus.size(), "CPU");
  findings.push_back({FindingLevel::ok, what + (machine.model.empty() ? "" : ": " + machine.model), ""});
  if (machine.ccds.empty()) {
    findings.push_back({FindingLevel::warning, "the kernel names no L3 cache: CCDs cannot be told apart",
                        "in a virtual machine, have the hypervisor pass the cache topology on"});
  }
  if (!machine.offline.empty()) {
    findings.push_back({FindingLevel::warning, "CPUs " + machine.offline.to_list() + " are offline",
                        "plans leave them out; bring them online before planning if they are to be used"});
  }
  check_clusters(machine, findings);
  const std::vector<CacheId>& domains = facts.capabilities.domains;
  const bool same = std::equal(domains.begin(), domains.end(), machine.ccds.begin(), machine.ccds.end(),
                               [](CacheId domain, const Ccd& ccd) { return domain == ccd.id; });
  if (facts.capabilities.l3 && !same) {
    CpuSet known, seen;
    for (const CacheId domain : domains) known.insert(domain.value);
    for (const Ccd& ccd : machine.ccds) seen.insert(ccd.id.value);
    findings.push_back({FindingLevel::problem,
                        "resctrl knows the L3 caches " + known.to_list() + ", the topology shows " +
                            (seen.empty() ? "none" : seen.to_list()),
                        "bring all CPUs online; if that is not it, report it with the output of lstopo"});
  }
}

void check_cgroups(const HostFacts& facts, Findings& findings) {
  switch (facts.hierarchy.version) {
    case CgroupVersion::none:
      findings.push_back({FindingLevel::problem, facts.hierarchy.explanation, ""});
      return;
    case CgroupVersion::v1:
      findings.push_back({FindingLevel::note,
                          "cgroup v1: cpuset is on " + facts.hierarchy.mount_point + ", without partitions",
                          ""});
      break;
    case CgroupVersion::v2:
      findings.push_back({FindingLevel::ok, "cgroup v2 with cpuset on " + facts.hierarchy.mount_point, ""});
      if (!facts.cpuset_enabled) {
        findings.push_back({FindingLevel::note,
                            "the root cgroup does not give cpuset to its children yet: apply does that", ""});
      }
      break;
  }
  if (facts.systemd) {
    findings.push_back(
        {FindingLevel::ok, "systemd owns the cgroup tree: CPUs of units are set through it", ""});
  } else {
    findings.push_back({FindingLevel::note,
                        "no systemd: cgroups are written directly, and a unit is a cgroup of its name", ""});
  }
}

void check_leftovers(const HostFacts& facts, Findings& findings) {
  if (!facts.memory_problem.empty()) {
    findings.push_back(
        {FindingLevel::note, "what earlier runs left is not known: " + facts.memory_problem, ""});
    return;
  }
  if (!facts.interrupted.empty()) {
    findings.push_back({FindingLevel::warning, "an interrupted " + facts.interrupted + " is not undone yet",
                        "bulkhead status undoes it, as do verify, apply and reset"});
  } else if (!facts.policy_in_force.empty()) {
    findings.push_back({FindingLevel::ok, "the policy in force is " + facts.policy_in_force, ""});
  } else if (has_ours(facts)) {
    findings.push_back({FindingLevel::warning, "there are groups of Bulkhead's, but no policy is in force",
                        "bulkhead reset removes them"});
  }
}

}  // namespace bulkhead
