// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controller/base/text.h"
#include "controller/base/units.h"
#include "controller/host/checks.h"

namespace bulkhead {
namespace {

// "what it means: the remedy" of an explanation, apart.
HostFinding explained(FindingLevel level, const std::string& explanation) {
  const auto colon = explanation.find(": ");
  if (colon == std::string::npos) return {level, explanation, ""};
  return {level, explanation.substr(0, colon), explanation.substr(colon + 2)};
}

std::vector<std::string> names_of(const HostFacts& facts, bool ours) {
  std::vector<std::string> names;
  for (const GroupFacts& group : facts.groups) {
    if (group.ours == ours) names.push_back(group.name);
  }
  return names;
}

std::string unit_text(const BandwidthCapability& bandwidth) {
  switch (bandwidth.unit) {
    case BandwidthUnit::percent:
      return "percent in steps of " + std::to_string(bandwidth.granularity) + ", at least " +
             std::to_string(bandwidth.min) + '%';
    case BandwidthUnit::eighth_gb:
      return "in steps of 1/8 GB/s, unlimited is " + std::to_string(bandwidth.unlimited);
    case BandwidthUnit::mib_per_second:
      return "in MiB/s (mba_MBps)";
  }
  return {};
}

}  // namespace

void check_resctrl(const HostFacts& facts, Findings& findings) {
  const ResctrlPresence& presence = facts.presence;
  if (presence.state != ResctrlState::mounted) {
    findings.push_back(explained(FindingLevel::problem, presence.explanation));
    return;
  }
  const std::string options = presence.mount_options.empty() ? "" : " with " + presence.mount_options;
  findings.push_back({FindingLevel::ok, "resctrl is mounted on " + presence.mount_point + options, ""});
  if (presence.read_only) findings.push_back(explained(FindingLevel::problem, presence.explanation));
  if (!facts.resctrl_problem.empty()) {
    findings.push_back({FindingLevel::problem, "resctrl cannot be read: " + facts.resctrl_problem, ""});
  }
}

void check_cache(const HostFacts& facts, Findings& findings) {
  const Capabilities& capabilities = facts.capabilities;
  if (capabilities.l2 && !capabilities.l3) {
    findings.push_back({FindingLevel::warning,
                        "this processor divides L2 caches, not the L3: Bulkhead plans the L3 only", ""});
  } else if (!capabilities.l3) {
    findings.push_back({FindingLevel::warning,
                        "the L3 cannot be divided on this host: policies with \"l3\" are refused", ""});
  }
  if (!capabilities.l3) return;
  const CacheCapability& l3 = *capabilities.l3;
  std::string what = "L3: " + counted(l3.ways(), "way");
  if (l3.min_ways > 1) what += ", at least " + std::to_string(l3.min_ways) + " a group";
  what += l3.sparse ? ", masks may have gaps" : ", masks without gaps";
  findings.push_back({FindingLevel::ok, what, ""});
  if (capabilities.cdp) {
    findings.push_back(
        {FindingLevel::note, "code and data are apart (cdp): half as many groups as without", ""});
  }
  if (!l3.shareable.empty()) {
    findings.push_back({FindingLevel::note,
                        "devices fill the ways " + l3.shareable.to_hex() +
                            " of each L3, too: ways for one service alone are "
                            "taken from the others first",
                        ""});
  }
}

void check_bandwidth(const HostFacts& facts, Findings& findings) {
  const Capabilities& capabilities = facts.capabilities;
  if (capabilities.memory) {
    findings.push_back({FindingLevel::ok, "memory bandwidth: " + unit_text(*capabilities.memory), ""});
  } else {
    findings.push_back({FindingLevel::note, "memory bandwidth cannot be limited on this host", ""});
  }
  if (capabilities.slow) {
    findings.push_back({FindingLevel::ok, "slow memory's bandwidth: " + unit_text(*capabilities.slow), ""});
  }
}

void check_monitoring(const HostFacts& facts, Findings& findings) {
  if (!facts.capabilities.monitoring) {
    findings.push_back(
        {FindingLevel::note, "nothing is counted for groups on this host: no occupancy, no bandwidth", ""});
    return;
  }
  const MonitoringCapability& monitoring = *facts.capabilities.monitoring;
  findings.push_back({FindingLevel::ok,
                      "counters: " + join(monitoring.events, ", ") + "; " + counted(monitoring.rmids, "RMID"),
                      ""});
}

void check_groups(const HostFacts& facts, Findings& findings) {
  const std::size_t closids = facts.capabilities.closids();
  if (closids == 0) return;
  const std::vector<std::string> ours = names_of(facts, true);
  const std::vector<std::string> others = names_of(facts, false);
  const std::size_t used = 1 + facts.groups.size();  // the default group has one
  const std::size_t left = used < closids ? closids - used : 0;
  std::string what = counted(closids, "CLOSID") + ": the default group";
  if (!ours.empty()) what += ", " + join(ours, ", ");
  if (!others.empty()) what += ", of other tools " + join(others, ", ");
  what += "; " + std::to_string(left) + " free";
  findings.push_back(
      {left == 0 ? FindingLevel::warning : FindingLevel::ok, what,
       left == 0 ? "a policy can have no further group: remove groups that nobody needs" : ""});
  std::size_t monitoring = facts.default_monitoring;
  for (const GroupFacts& group : facts.groups) monitoring += group.monitoring;
  if (monitoring > 0) {
    findings.push_back({FindingLevel::note,
                        "RMIDs are used by " + counted(monitoring, "monitoring group") + " as well", ""});
  }
  if (!others.empty()) {
    findings.push_back(
        {FindingLevel::note,
         counted(others.size(), "group") + " of other tools: Bulkhead leaves what they hold alone", ""});
  }
}

}  // namespace bulkhead
