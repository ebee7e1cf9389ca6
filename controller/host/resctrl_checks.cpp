// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "controller/base/text.h"
#include "controller/base/units.h"
#include "controller/host/checks.h"
#include "controller/resctrl/class_name.h"

namespace bulkhead {
namespace {

// "what it means: the remedy" of an explanation, apart.
HostFinding explained(FindingLevel level, const std::string& explanation) {
  const auto colon = explanation.find(": ");
  if (colon == std::string::npos) return {level, explanation, ""};
  return {level, explanation.substr(0, colon), explanation.substr(colon + 2)};
}

// The control groups that there are, by whose they are.
struct Owners {
  std::vector<std::string> ours, others;
  std::size_t spare = 0;  // libpqos has made them: ours, when a policy needs them
};

Owners owners_of(const HostFacts& facts) {
  std::map<std::string, std::string> names;  // of our groups, by what libpqos calls them
  for (const auto& [name, number] : facts.classes) names[class_name(number)] = name;
  Owners owners;
  for (const GroupFacts& group : facts.groups) {
    if (group.ours) {
      owners.ours.push_back(group.name);
    } else if (const auto found = names.find(group.name); found != names.end()) {
      owners.ours.push_back(found->second + " (" + group.name + ')');
    } else if (!names.empty() && group.monitoring == 0 && parse_class_name(group.name)) {
      ++owners.spare;
    } else {
      owners.others.push_back(group.name);
    }
  }
  return owners;
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
  const auto [ours, others, spare] = owners_of(facts);
  const std::size_t used = 1 + ours.size() + others.size();  // the default group has one
  const std::size_t left = used < closids ? closids - used : 0;
  std::string what = counted(closids, "CLOSID") + ": the default group";
  if (!ours.empty()) what += ", " + join(ours, ", ");
  if (!others.empty()) what += ", of other tools " + join(others, ", ");
  what += "; " + std::to_string(left) + " free";
  if (spare > 0) what += ", " + std::to_string(spare) + " of them made by libpqos already";
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
