// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>

#include "controller/engine/diff.h"
#include "controller/engine/kernel_words.h"
#include "controller/engine/thread_steps.h"
#include "controller/engine/write_order.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

class GroupDiff {
 public:
  GroupDiff(const Plan& plan, const Observed& now, const Baseline& baseline)
      : plan_(plan), now_(now), baseline_(baseline) {}

  GroupSteps steps() {
    GroupSteps result;
    std::vector<Step> removals = removed_groups();
    std::vector<Step> made = made_groups();
    // Where there are not enough CLOSIDs for old and new groups side by side, the old ones must go first.
    const bool crowded = now_.closids != 0 && now_.groups.size() + missing_ > now_.closids;
    std::vector<Step>& where = crowded ? result.prepare : result.remove;
    where.insert(where.end(), removals.begin(), removals.end());
    result.prepare.insert(result.prepare.end(), made.begin(), made.end());
    const std::vector<Step> sized = sized_groups();
    result.prepare.insert(result.prepare.end(), sized.begin(), sized.end());
    const std::vector<Step> monitoring = made_monitoring_groups();
    result.prepare.insert(result.prepare.end(), monitoring.begin(), monitoring.end());
    result.assign = cpu_steps();
    std::vector<Step> threads = diff_threads(plan_, now_);
    result.assign.insert(result.assign.end(), std::make_move_iterator(threads.begin()),
                         std::make_move_iterator(threads.end()));
    return result;
  }

 private:
  std::vector<Step> made_groups() {
    std::vector<Step> steps;
    for (const ControlGroup& group : plan_.groups) {
      if (now_.find_group(group.name) != nullptr) continue;
      steps.push_back({.kind = StepKind::make_group, .target = group.name});
      ++missing_;
    }
    return steps;
  }

  std::vector<Step> made_monitoring_groups() const {
    std::vector<Step> steps;
    for (const ControlGroup& group : plan_.groups) {
      const ObservedGroup* observed = now_.find_group(group.name);
      for (const MonitoringGroup& monitoring : group.monitoring) {
        if (observed != nullptr && find_monitoring(*observed, monitoring.name) != nullptr) continue;
        steps.push_back(
            {.kind = StepKind::make_group, .target = monitoring_path(group.name, monitoring.name)});
      }
    }
    return steps;
  }

  static const ObservedMonitoringGroup* find_monitoring(const ObservedGroup& group, const std::string& name) {
    const auto found = std::find_if(group.monitoring.begin(), group.monitoring.end(),
                                    [&](const ObservedMonitoringGroup& one) { return one.name == name; });
    return found == group.monitoring.end() ? nullptr : &*found;
  }

  // What the default group is to have: the plan's values, and the baseline's where the plan says nothing any
  // more.
  Schemata default_group_wanted() const {
    const ControlGroup* planned = plan_.find_group("");
    const ObservedGroup* observed = now_.find_group("");
    if (observed == nullptr) return {};
    // A domain that went offline has no line to restore.
    const Schemata restored = same_domains(baseline_.default_group, observed->schemata);
    return planned == nullptr ? restored : merged(restored, planned->schemata);
  }

  std::vector<Step> sized_groups() const {
    std::vector<Resize> resizes;
    const auto add = [&](const std::string& name, const Schemata& wanted) {
      const ObservedGroup* observed = now_.find_group(name);
      // A new group's first masks are only known once it is there; nobody is in it, so all its lines are
      // written.
      const Schemata before = observed == nullptr ? Schemata{} : same_domains(observed->schemata, wanted);
      const std::string text = render_schemata_change(before, wanted);
      if (text.empty()) return;
      resizes.push_back(
          {.step = {.kind = StepKind::write_schemata,
                    .target = name,
                    .text = text,
                    .before = render_schemata_change({}, same_domains(before, parse_schemata(text)))},
           .before = before,
           .after = wanted});
    };
    for (const ControlGroup& group : plan_.groups) {
      if (!group.name.empty()) add(group.name, group.schemata);
    }
    add("", default_group_wanted());
    return in_safe_order(std::move(resizes));
  }

  std::vector<Step> cpu_steps() const {
    std::vector<Step> cleared, shrinking, growing, monitoring;
    for (const ControlGroup& group : plan_.groups) {
      const ObservedGroup* observed = now_.find_group(group.name);
      const CpuSet before = observed == nullptr ? CpuSet{} : observed->cpus;
      const CpuSet wanted = group.takes_cpus ? group.cpus : CpuSet{};
      const bool changes = !group.name.empty() && before != wanted;
      if (changes) {
        (before.contains(wanted) ? shrinking : growing).push_back(cpus_step(group.name, before, wanted));
      }
      for (const MonitoringGroup& one : group.monitoring) {
        const ObservedMonitoringGroup* there =
            observed == nullptr ? nullptr : find_monitoring(*observed, one.name);
        CpuSet has = there == nullptr ? CpuSet{} : there->cpus;
        const std::string path = monitoring_path(group.name, one.name);
        // Writing a control group's CPUs takes all CPUs from its monitoring groups. Taking them first is a
        // step of its own, so that an undo, which goes backwards, gives them back last.
        if (changes && !has.empty()) {
          cleared.push_back(cpus_step(path, has, {}));
          has = {};
        }
        if (has != one.cpus) monitoring.push_back(cpus_step(path, has, one.cpus));
      }
    }
    for (const std::vector<Step>* part : {&shrinking, &growing, &monitoring}) {
      cleared.insert(cleared.end(), part->begin(), part->end());
    }
    return cleared;
  }

  static Step cpus_step(const std::string& path, const CpuSet& before, const CpuSet& wanted) {
    return {
        .kind = StepKind::write_cpus, .target = path, .text = wanted.to_list(), .before = before.to_list()};
  }

  std::vector<Step> removed_groups() const {
    std::vector<Step> steps;
    const auto remove = [&](const std::string& path, const std::string& schemata, const CpuSet& cpus) {
      Step step{.kind = StepKind::remove_group, .target = path};
      step.image = {.schemata = schemata, .cpus = cpus.to_list(), .tasks = threads_in(now_, path)};
      steps.push_back(std::move(step));
    };
    for (const ObservedGroup& observed : now_.groups) {
      const ControlGroup* planned = plan_.find_group(observed.name);
      if (!observed.name.empty() && !observed.ours()) continue;
      // Monitoring groups first: undone in reverse, the control group is there again before them.
      for (const ObservedMonitoringGroup& monitoring : observed.monitoring) {
        if (!is_our_group(monitoring.name) && observed.name.empty()) continue;
        if (planned != nullptr && is_planned(*planned, monitoring.name)) continue;
        if (planned != nullptr && !is_our_group(monitoring.name)) continue;
        remove(monitoring_path(observed.name, monitoring.name), "", monitoring.cpus);
      }
      if (planned == nullptr && !observed.name.empty()) {
        remove(observed.name, render_schemata_change({}, observed.schemata), observed.cpus);
      }
    }
    return steps;
  }

  static bool is_planned(const ControlGroup& group, const std::string& monitoring) {
    return std::any_of(group.monitoring.begin(), group.monitoring.end(),
                       [&](const MonitoringGroup& one) { return one.name == monitoring; });
  }

  const Plan& plan_;
  const Observed& now_;
  const Baseline& baseline_;
  std::size_t missing_ = 0;
};

}  // namespace

GroupSteps diff_groups(const Plan& plan, const Observed& now, const Baseline& baseline) {
  if (!now.resctrl) return {};
  return GroupDiff(plan, now, baseline).steps();
}

}  // namespace bulkhead
