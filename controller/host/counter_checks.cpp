// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "controller/base/text.h"
#include "controller/host/checks.h"

namespace bulkhead {
namespace {

constexpr std::string_view kBandwidthPrefix = "mbm_";

bool has_event(const MonitoringInfo& info, std::string_view event) {
  return std::find(info.events.begin(), info.events.end(), event) != info.events.end();
}

void check_events(const MonitoringInfo& info, Findings& findings) {
  if (!has_event(info, "llc_occupancy")) {
    findings.push_back({FindingLevel::note,
                        "what groups fill of the L3 is not counted: verify cannot judge by it",
                        "it takes a processor with cqm_occup_llc"});
  }
  if (!has_event(info, "mbm_total_bytes")) {
    findings.push_back({FindingLevel::note,
                        "memory bandwidth of groups is not counted: verify cannot judge it",
                        "it takes a processor with cqm_mbm_total"});
  }
  if (!info.configurable.empty()) {
    findings.push_back(
        {FindingLevel::ok, "what bandwidth counts can be set (BMEC): " + join(info.configurable, ", "), ""});
  }
  if (info.summed) {
    findings.push_back({FindingLevel::note,
                        "sub-NUMA clusters are on: the kernel sums the counters of each L3 over them", ""});
  }
}

void check_rmids(const MonitoringInfo& info, std::size_t held, Findings& findings) {
  if (info.rmids == 0) return;
  const bool none_left = held >= info.rmids;
  std::string what = std::to_string(held) + " of " + counted(info.rmids, "RMID") + " held by groups";
  if (info.reuse_threshold) {
    what += "; one of a removed group is free again when its lines in each L3 are at most " +
            std::to_string(*info.reuse_threshold) +
            " bytes (max_threshold_occupancy), and while only such wait, a new group is refused with EBUSY";
  }
  findings.push_back(
      {none_left ? FindingLevel::warning : FindingLevel::ok, what,
       none_left ? "there can be no further group: remove monitoring groups that nobody needs" : ""});
}

std::string share_text(unsigned counters, unsigned each) {
  return counted(counters, "counter") + " a CCD, " + std::to_string(each) +
         " a group: " + counted(counters / each, "group");
}

unsigned least(const std::map<CacheId, unsigned>& numbers) {
  unsigned found = numbers.begin()->second;
  for (const auto& [ccd, number] : numbers) found = std::min(found, number);
  return found;
}

void check_assigned(const MonitoringInfo& info, unsigned each, Findings& findings) {
  if (info.counters.empty()) return;
  const unsigned left = info.available.empty() ? 0 : least(info.available);
  const std::string what =
      "bandwidth is counted by assigned counters (mbm_event): " + share_text(least(info.counters), each) +
      "; " + std::to_string(left) + " free";
  const bool enough = left >= each;
  findings.push_back({enough ? FindingLevel::ok : FindingLevel::warning, what,
                      enough
                          ? ""
                          : "bandwidth of further groups reads Unassigned: remove groups, or take counters "
                            "from them in their mbm_L3_assignments"});
}

// Without assigned counters AMD's hardware tracks as many groups as it has trackers.
void check_assignment(const MonitoringInfo& info, const std::string& vendor, Findings& findings) {
  const auto each = static_cast<unsigned>(std::count_if(
      info.events.begin(), info.events.end(),
      [](const std::string& event) { return std::string_view(event).starts_with(kBandwidthPrefix); }));
  if (each == 0) return;
  if (info.assigns()) return check_assigned(info, each, findings);
  if (!info.counters.empty()) {
    findings.push_back(
        {FindingLevel::note,
         "counters of bandwidth are not assigned (mode default): with many groups some read "
         "Unavailable, and their counts begin anew",
         "write mbm_event to info/L3_MON/mbm_assign_mode: " + share_text(least(info.counters), each)});
  } else if (vendor == "amd") {
    findings.push_back({FindingLevel::note,
                        "counters of bandwidth cannot be assigned to groups here: with many groups some read "
                        "Unavailable, and their counts begin anew",
                        "it takes Linux 6.18 and a processor with ABMC, as EPYC has from Zen 5 on"});
  }
}

std::string names_of(const std::vector<PmuEvent>& events) {
  std::vector<std::string> names;
  for (const PmuEvent& event : events) names.push_back(event.name + " (" + event.code + ')');
  return join(names, ", ");
}

void check_pmu(const Pmu& pmu, Findings& findings) {
  if (!pmu.cores.empty()) {
    findings.push_back(
        {FindingLevel::ok, "performance counters of services: " + names_of(pmu.service_events), ""});
  }
  if (pmu.l3) {
    findings.push_back(
        {FindingLevel::ok, "performance counters of CCDs (amd_l3): " + names_of(pmu.ccd_events), ""});
  }
  for (const std::string& lack : {pmu.service_lack, pmu.ccd_lack}) {
    if (!lack.empty()) findings.push_back({FindingLevel::note, lack, ""});
  }
}

}  // namespace

void check_counters(const HostFacts& facts, Findings& findings) {
  const CounterFacts& counters = facts.counters;
  if (counters.monitoring) {
    check_events(*counters.monitoring, findings);
    check_rmids(*counters.monitoring, counters.held_rmids, findings);
    check_assignment(*counters.monitoring, facts.machine.vendor, findings);
  }
  check_pmu(counters.pmu, findings);
  for (const std::string& refusal : counters.refusals) {
    const auto colon = refusal.find(": ");
    const bool has_remedy = colon != std::string::npos;
    findings.push_back(
        {FindingLevel::note, refusal.substr(0, colon), has_remedy ? refusal.substr(colon + 2) : ""});
  }
}

}  // namespace bulkhead
