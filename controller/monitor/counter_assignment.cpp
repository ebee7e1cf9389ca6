// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/counter_assignment.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include "controller/base/cpu_set.h"
#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/planner/plan.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/monitoring_info.h"

namespace bulkhead {
namespace {

constexpr const char* kFile = "mbm_L3_assignments";

bool is_ours(std::string_view group) {
  return group.substr(group.rfind('/') + 1).starts_with(kGroupPrefix);
}

// "mbm_total_bytes:0=e;4=_": of each event, which CCDs have a counter for the group. Empty where the group
// has gone.
using Assignments = std::map<std::string, std::map<CacheId, bool>>;

Assignments read_assignments(Directory& resctrl, const std::string& group) {
  Assignments found;
  const std::string text = resctrl.read_if_there(in_group(group, kFile)).value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    auto& event = found[std::string(line.substr(0, colon))];
    for (const std::string_view part : split(line.substr(colon + 1), ';')) {
      const auto equals = part.find('=');
      if (equals == std::string_view::npos) continue;
      const auto ccd = parse_integer<unsigned>(trim(part.substr(0, equals)));
      if (ccd) event[CacheId{*ccd}] = trim(part.substr(equals + 1)) != "_";
    }
  }
  return found;
}

class Assigner {
 public:
  Assigner(Directory& resctrl, MonitoringInfo info, const std::vector<CounterGroup>& groups)
      : resctrl_(resctrl), info_(std::move(info)), groups_(groups) {}

  AssignmentOutcome run() {
    for (const CounterEvent event : {CounterEvent::mbm_total_bytes, CounterEvent::mbm_local_bytes}) {
      for (const CounterGroup& group : groups_) {
        if (is_ours(group.path)) give(group.path, std::string(to_string(event)));
      }
    }
    if (!lacking_.empty()) outcome_.lack = lack_text();
    return std::move(outcome_);
  }

 private:
  void give(const std::string& group, const std::string& event) {
    std::string text;
    const Assignments now = read_assignments(resctrl_, group);
    const auto found = now.find(event);
    if (found == now.end()) return;
    std::vector<CacheId> wanted;
    for (const auto& [ccd, has] : found->second) {
      if (has) continue;
      if (info_.available[ccd] == 0) {
        add_lack(group, ccd);
      } else {
        wanted.push_back(ccd);
        text += (text.empty() ? "" : ";") + to_string(ccd) + "=e";
      }
    }
    if (!wanted.empty()) write(group, event + ':' + text + '\n', wanted);
  }

  void write(const std::string& group, const std::string& text, const std::vector<CacheId>& ccds) {
    try {
      resctrl_.write(in_group(group, kFile), text);
    } catch (const Error& error) {
      // A group that has gone needs none; other programs may have taken the last counters meanwhile.
      if (error.detail().error_number == ENOSPC) add_lack(group, ccds.front());
      return;
    }
    for (const CacheId ccd : ccds) --info_.available[ccd];
    if (std::find(outcome_.assigned.begin(), outcome_.assigned.end(), group) == outcome_.assigned.end())
      outcome_.assigned.push_back(group);
  }

  void add_lack(const std::string& group, CacheId ccd) {
    if (std::find(lacking_.begin(), lacking_.end(), group) == lacking_.end()) lacking_.push_back(group);
    on_.insert(ccd.value);
  }

  std::vector<std::string> holders_on(CacheId ccd) {
    std::vector<std::string> holders;
    for (const CounterGroup& group : groups_) {
      const Assignments now = read_assignments(resctrl_, group.path);
      const bool holds = std::any_of(now.begin(), now.end(), [&](const auto& event) {
        const auto found = event.second.find(ccd);
        return found != event.second.end() && found->second;
      });
      if (holds) holders.push_back(group_title(group.path));
    }
    constexpr std::size_t kNamed = 8;
    if (holders.size() > kNamed) {
      const std::size_t more = holders.size() - kNamed;
      holders.resize(kNamed);
      holders.push_back(std::to_string(more) + " more");
    }
    return holders;
  }

  std::string lack_text() {
    const CacheId first{on_.first()};
    const unsigned counters = info_.counters[first];
    const auto bandwidth = static_cast<unsigned>(
        std::count_if(info_.events.begin(), info_.events.end(),
                      [](const std::string& event) { return event.starts_with("mbm_"); }));
    const unsigned each = std::max(1U, bandwidth);
    return "bandwidth of " + join(lacking_, ", ") + " is not counted in full on " +
           (on_.size() == 1 ? "CCD " : "CCDs ") + on_.to_list() + ": " + counted(counters, "counter") +
           " a CCD, " + std::to_string(each) + " a group, are enough for " +
           counted(counters / each, "group") + ", and on CCD " + to_string(first) +
           " these have them: " + join(holders_on(first), ", ");
  }

  Directory& resctrl_;
  MonitoringInfo info_;
  const std::vector<CounterGroup>& groups_;
  AssignmentOutcome outcome_;
  std::vector<std::string> lacking_;
  CpuSet on_;  // CCDs
};

std::unique_ptr<FileLock> try_lock(Directory& resctrl) {
  try {
    return resctrl.lock(0);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::conflict) throw;
    return nullptr;
  }
}

}  // namespace

bool lacks_counters(const Snapshot& counters) {
  const auto is_unassigned = [](const CcdCounters& ccd) {
    return ccd.total.no_data == NoData::unassigned || ccd.local.no_data == NoData::unassigned;
  };
  return std::any_of(counters.groups.begin(), counters.groups.end(), [&](const GroupCounters& group) {
    return is_ours(group.path) && std::any_of(group.ccds.begin(), group.ccds.end(), is_unassigned);
  });
}

AssignmentOutcome assign_counters(Directory& resctrl, const std::vector<CounterGroup>& groups) {
  const auto lock = try_lock(resctrl);
  if (lock == nullptr) return {};
  auto info = read_monitoring_info(resctrl);
  if (!info || !info->assigns()) return {};
  return Assigner(resctrl, std::move(*info), groups).run();
}

}  // namespace bulkhead
