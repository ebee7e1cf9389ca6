// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/read_back.h"

#include <algorithm>
#include <map>
#include <set>

#include "controller/base/text.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

std::string control_group_of(const std::string& path) {
  return path.starts_with("mon_groups/") ? "" : path.substr(0, path.find("/mon_groups/"));
}

std::string shown(std::string_view text) {
  std::string line(trim(text));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.empty() ? "nothing" : line;
}

// The last value that steps gave to one thing; what was written in between does not matter.
template <class Use>
void for_each_last(const std::vector<Step>& steps, StepKind kind, Use&& use) {
  std::map<std::string, const Step*> last;
  for (const Step& step : steps) {
    if (step.kind == kind) last[step.target] = &step;
  }
  for (const auto& [target, step] : last) use(*step);
}

class Comparison {
 public:
  Comparison(const std::vector<Step>& steps, const std::vector<ObservedGroup>& groups,
             const std::vector<ObservedCpuset>& cpusets)
      : steps_(steps) {
    for (const ObservedGroup& group : groups) groups_[group.name] = &group;
    for (const ObservedCpuset& cpuset : cpusets) cpusets_[cpuset.path] = &cpuset;
  }

  std::optional<std::string> mismatch(const std::vector<CpusetTarget>& targets, const CpuSet& online) {
    for_each_last(steps_, StepKind::write_schemata, [&](const Step& step) { compare_schemata(step); });
    for_each_last(steps_, StepKind::write_cpus, [&](const Step& step) { compare_group_cpus(step, online); });
    for (const CpusetTarget& target : targets) compare_cpuset(target, online);
    return first_;
  }

 private:
  void say(const std::string& what, const std::string& wanted, const std::string& found) {
    if (!first_) first_ = what + ": " + shown(wanted) + " was written, the kernel holds " + shown(found);
  }

  void compare_schemata(const Step& step) {
    const auto group = groups_.find(step.target);
    if (group == groups_.end()) return say("group " + step.target, step.text, "no such group");
    const std::string differing = render_schemata_change(group->second->schemata, parse_schemata(step.text));
    if (differing.empty()) return;
    say("schemata of " + (step.target.empty() ? "the default group" : "group " + step.target), differing,
        render_schemata_change({}, same_domains(group->second->schemata, parse_schemata(differing))));
  }

  void compare_group_cpus(const Step& step, const CpuSet& online) {
    const std::string control = control_group_of(step.target);
    const auto group = groups_.find(control);
    if (group == groups_.end()) return say("group " + control, step.text, "no such group");
    const CpuSet wanted = CpuSet::parse_list(step.text) & online;
    CpuSet found = group->second->cpus;
    if (step.target != control) {
      found = {};
      for (const ObservedMonitoringGroup& one : group->second->monitoring) {
        if (step.target.ends_with('/' + one.name)) found = one.cpus;
      }
    }
    if (found != wanted) say("CPUs of group " + step.target, wanted.to_list(), found.to_list());
  }

  // The effective set is what counts: the kernel takes any list, and gives what the parent has of it.
  void compare_cpuset(const CpusetTarget& target, const CpuSet& online) {
    const auto cpuset = cpusets_.find(target.path);
    if (cpuset == cpusets_.end()) return;  // it was not written to
    const CpuSet wanted = target.cpus & online;
    if (cpuset->second->effective_cpus != wanted) {
      say("effective CPUs of cgroup " + target.path, wanted.to_list(),
          cpuset->second->effective_cpus.to_list());
    }
    if (!target.memory_nodes.empty() && cpuset->second->effective_memory_nodes != target.memory_nodes) {
      say("effective memory nodes of cgroup " + target.path, target.memory_nodes.to_list(),
          cpuset->second->effective_memory_nodes.to_list());
    }
  }

  const std::vector<Step>& steps_;
  std::map<std::string, const ObservedGroup*> groups_;
  std::map<std::string, const ObservedCpuset*> cpusets_;
  std::optional<std::string> first_;
};

}  // namespace

Written written_by(const std::vector<Step>& steps, const Observed& before) {
  std::set<std::string> groups;
  std::set<std::string> cgroups;
  for (const Step& step : steps) {
    switch (step.kind) {
      case StepKind::write_schemata:
      case StepKind::write_cpus:
        groups.insert(control_group_of(step.target));
        break;
      case StepKind::write_cpuset_cpus:
      case StepKind::write_cpuset_mems:
      case StepKind::write_partition:
        cgroups.insert(step.target);
        break;
      case StepKind::set_unit:
        for (const ObservedCpuset& cpuset : before.cpusets) {
          if (cpuset.unit == step.target) cgroups.insert(cpuset.path);
        }
        break;
      default:
        break;
    }
  }
  return {{groups.begin(), groups.end()}, {cgroups.begin(), cgroups.end()}};
}

std::optional<std::string> find_mismatch(const std::vector<Step>& steps,
                                         const std::vector<ObservedGroup>& groups,
                                         const std::vector<ObservedCpuset>& cpusets,
                                         const std::vector<CpusetTarget>& targets, const CpuSet& online) {
  return Comparison(steps, groups, cpusets).mismatch(targets, online);
}

}  // namespace bulkhead
