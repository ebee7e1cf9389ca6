// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "cgroup/units.h"
#include "controller/engine/diff.h"
#include "controller/engine/kernel_words.h"

namespace bulkhead {
namespace {

// "root invalid (...)" is root, asked for.
std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

class CpusetDiff {
 public:
  CpusetDiff(const std::vector<CpusetTarget>& targets, const Observed& now, const Baseline& baseline)
      : targets_(targets), now_(now), baseline_(baseline) {}

  std::vector<Step> steps() {
    for (const CpusetTarget& target : targets_) enable_above(target);
    for (const CpusetTarget& target : targets_) add_target(target);
    for (const auto& [path, image] : baseline_.cpusets) restore(path, image);
    for (const auto& [unit, limits] : baseline_.units) restore_unit(unit, limits);
    for (const auto& [path, processes] : now_.own_cgroups) dissolve(path, processes);
    disable_what_nobody_needs();
    return in_order();
  }

 private:
  bool is_target(const std::string& name) const {
    return std::any_of(targets_.begin(), targets_.end(), [&](const CpusetTarget& target) {
      return target.path == name || target.unit == name;
    });
  }

  void enable_above(const CpusetTarget& target) {
    if (now_.cgroup_v1 || !target.unit.empty()) return;  // systemd enables what its units need
    const std::vector<std::string> ancestors = ancestors_of(target.path);
    for (std::size_t level = 0; level < ancestors.size(); ++level) {
      const std::string& child = level + 1 < ancestors.size() ? ancestors[level + 1] : target.path;
      const ObservedCpuset* observed = now_.find_cpuset(child);
      const bool controlled = observed != nullptr ? observed->controlled : root_gives_cpuset();
      if (!controlled && enabled_.insert(ancestors[level]).second) {
        enable_.push_back({.kind = StepKind::enable_cpuset, .target = ancestors[level]});
      }
    }
  }

  // For a cgroup that is not there yet: what a cgroup in the root has.
  bool root_gives_cpuset() const {
    return std::any_of(now_.cpusets.begin(), now_.cpusets.end(), [](const ObservedCpuset& cpuset) {
      return cpuset.path != "/" && ancestors_of(cpuset.path).size() == 1 && cpuset.controlled;
    });
  }

  void add_target(const CpusetTarget& target) {
    const ObservedCpuset* observed = now_.find_cpuset(target.path);
    if (target.path.empty()) return add_idle_unit(target);
    if (!target.unit.empty()) return add_unit(target, *observed);
    if (observed == nullptr) make_.push_back({.kind = StepKind::make_cgroup, .target = target.path});
    const ObservedCpuset before = observed == nullptr ? ObservedCpuset{} : *observed;
    if (!are_configured(target.cpus, before, now_.online_cpus)) {
      write_cpus(target.path, before.cpus, target.cpus);
    }
    CpuSet memory_nodes = memory_nodes_for(target, before);
    if (now_.cgroup_v1 && memory_nodes.empty()) {
      // A v1 cpuset without memory nodes takes no process.
      const ObservedCpuset* root = now_.find_cpuset("/");
      if (root != nullptr) memory_nodes = root->effective_memory_nodes;
    }
    write_memory_nodes(target.path, before.memory_nodes, memory_nodes);
    add_partition(target, before);
    if (target.own) move_in(target);
  }

  // Where the plan leaves memory alone: as it was before an earlier policy changed it, if one did.
  CpuSet memory_nodes_for(const CpusetTarget& target, const ObservedCpuset& before) const {
    if (!target.memory_nodes.empty()) return target.memory_nodes;
    const std::optional<CpuSet> first = first_memory_nodes(target);
    if (!first) return before.memory_nodes;
    // Kernels up to 6.12 do not let the list be emptied: that all nodes are named instead is as good.
    const ObservedCpuset* root = now_.find_cpuset("/");
    const bool all = root != nullptr && before.memory_nodes == root->effective_memory_nodes;
    return first->empty() && all ? before.memory_nodes : *first;
  }

  std::optional<CpuSet> first_memory_nodes(const CpusetTarget& target) const {
    if (!target.unit.empty()) {
      const auto limits = baseline_.units.find(target.unit);
      if (limits == baseline_.units.end()) return std::nullopt;
      return parse_unit_limits(limits->second).memory_nodes;
    }
    const auto image = baseline_.cpusets.find(target.path);
    if (image == baseline_.cpusets.end() || !image->second.memory_nodes) return std::nullopt;
    return CpuSet::parse_list(*image->second.memory_nodes);
  }

  void add_unit(const CpusetTarget& target, const ObservedCpuset& observed) {
    const CpuSet memory_nodes = memory_nodes_for(target, observed);
    const bool same_cpus = are_configured(target.cpus, observed, now_.online_cpus);
    if (!same_cpus || observed.memory_nodes != memory_nodes) {
      const bool shrinks = observed.cpus.empty() || observed.cpus.contains(target.cpus);
      (shrinks ? shrink_ : grow_)
          .push_back({.kind = StepKind::set_unit,
                      .target = target.unit,
                      .text = to_text(UnitLimits{target.cpus, memory_nodes}),
                      .before = to_text(UnitLimits{observed.cpus, observed.memory_nodes})});
    }
    add_partition(target, observed);
  }

  // Its next start finds the limits that the plan has for it.
  void add_idle_unit(const CpusetTarget& target) {
    const std::string& now = now_.idle_units.at(target.unit).limits;
    const UnitLimits before = parse_unit_limits(now);
    const CpuSet memory_nodes = target.memory_nodes.empty()
                                    ? first_memory_nodes(target).value_or(before.memory_nodes)
                                    : target.memory_nodes;
    const std::string wanted = to_text(UnitLimits{target.cpus, memory_nodes});
    if (wanted == now) return;
    grow_.push_back({.kind = StepKind::set_unit, .target = target.unit, .text = wanted, .before = now});
  }

  void add_partition(const CpusetTarget& target, const ObservedCpuset& before) {
    if (now_.cgroup_v1) return;
    const std::string is = before.partition.empty() ? "member" : first_word(before.partition);
    const std::string wanted(word_of(target.partition));
    const bool invalid = before.partition.find("invalid") != std::string::npos;
    // A partition that somebody else made is theirs, unless this policy asks for one.
    const bool ours = baseline_.cpusets.contains(target.path) && baseline_.cpusets.at(target.path).partition;
    if (is == wanted && !invalid) return;
    if (target.partition == Partition::member && !ours) return;
    (target.partition == Partition::member ? dissolve_ : partition_)
        .push_back({.kind = StepKind::write_partition, .target = target.path, .text = wanted, .before = is});
  }

  void write_cpus(const std::string& path, const CpuSet& before, const CpuSet& wanted) {
    if (before == wanted) return;
    // An empty list inherits: any list is fewer CPUs than that.
    const bool shrinks = before.empty() || (!wanted.empty() && before.contains(wanted));
    (shrinks ? shrink_ : grow_)
        .push_back({.kind = StepKind::write_cpuset_cpus,
                    .target = path,
                    .text = wanted.to_list(),
                    .before = before.to_list()});
  }

  void write_memory_nodes(const std::string& path, const CpuSet& before, const CpuSet& wanted) {
    if (before == wanted) return;
    nodes_.push_back({.kind = StepKind::write_cpuset_mems,
                      .target = path,
                      .text = wanted.to_list(),
                      .before = before.to_list()});
  }

  void move_in(const CpusetTarget& target) {
    Step step{.kind = StepKind::move_processes, .target = target.path};
    const auto own = now_.own_cgroups.find(target.path);
    for (const unsigned process : target.processes) {
      if (own != now_.own_cgroups.end() &&
          std::binary_search(own->second.begin(), own->second.end(), process)) {
        continue;
      }
      step.tasks.emplace(process, origin_of(process));
    }
    if (!step.tasks.empty()) move_.push_back(std::move(step));
  }

  std::string origin_of(unsigned process) const {
    const auto found = now_.process_cgroups.find(process);
    return found == now_.process_cgroups.end() ? "/" : found->second;
  }

  void restore(const std::string& path, const CpusetImage& image) {
    const ObservedCpuset* observed = now_.find_cpuset(path);
    if (observed == nullptr || is_target(path) || baseline_.made.contains(path)) return;
    if (image.partition && first_word(observed->partition) != *image.partition) {
      (*image.partition == "member" ? dissolve_ : partition_)
          .push_back({.kind = StepKind::write_partition,
                      .target = path,
                      .text = *image.partition,
                      .before = first_word(observed->partition)});
    }
    if (image.cpus) write_cpus(path, observed->cpus, CpuSet::parse_list(*image.cpus));
    if (image.memory_nodes) {
      write_memory_nodes(path, observed->memory_nodes, CpuSet::parse_list(*image.memory_nodes));
    }
  }

  void restore_unit(const std::string& unit, const std::string& limits) {
    if (is_target(unit)) return;
    const auto observed = std::find_if(now_.cpusets.begin(), now_.cpusets.end(),
                                       [&](const ObservedCpuset& cpuset) { return cpuset.unit == unit; });
    const auto idle = now_.idle_units.find(unit);
    if (observed == now_.cpusets.end() && idle == now_.idle_units.end())
      return;  // there is no such unit any more
    const std::string before = observed == now_.cpusets.end()
                                   ? idle->second.limits
                                   : to_text(UnitLimits{observed->cpus, observed->memory_nodes});
    if (before == limits) return;
    grow_.push_back({.kind = StepKind::set_unit, .target = unit, .text = limits, .before = before});
  }

  // A cgroup of ours that the plan does not need any more: its processes go back, those that nothing is known
  // of to where the others came from, and it is removed.
  void dissolve(const std::string& path, const std::vector<unsigned>& processes) {
    if (is_target(path)) return;
    const auto made = baseline_.made.find(path);
    const std::map<unsigned, std::string> origins =
        made == baseline_.made.end() ? std::map<unsigned, std::string>{} : made->second;
    const std::string fallback = origins.empty() ? "/" : origins.begin()->second;
    std::map<std::string, Step> back;
    for (const unsigned process : processes) {
      const auto origin = origins.find(process);
      const std::string& target = origin == origins.end() ? fallback : origin->second;
      Step& step = back[target];
      step.kind = StepKind::move_processes;
      step.target = target;
      step.tasks.emplace(process, path);
    }
    for (auto& [target, step] : back) move_.push_back(std::move(step));
    if (const ObservedCpuset* observed = now_.find_cpuset(path)) {
      remove_.push_back({.kind = StepKind::remove_cgroup,
                         .target = path,
                         .text = fallback,
                         .before = to_text(UnitLimits{observed->cpus, observed->memory_nodes})});
    }
  }

  void disable_what_nobody_needs() {
    for (auto path = baseline_.enabled.rbegin(); path != baseline_.enabled.rend(); ++path) {
      const bool needed = std::any_of(targets_.begin(), targets_.end(), [&](const CpusetTarget& target) {
        return !target.path.empty() && is_below(target.path, *path);
      });
      if (!needed && !used_by_somebody(*path))
        remove_.push_back({.kind = StepKind::disable_cpuset, .target = *path});
    }
  }

  // Whether a child of `path` is confined by somebody else, who would lose that with the controller.
  bool used_by_somebody(const std::string& path) const {
    return std::any_of(now_.cpusets.begin(), now_.cpusets.end(), [&](const ObservedCpuset& cpuset) {
      return is_below(cpuset.path, path) && !baseline_.cpusets.contains(cpuset.path) &&
             !baseline_.made.contains(cpuset.path) && !(cpuset.cpus.empty() && cpuset.memory_nodes.empty());
    });
  }

  std::vector<Step> in_order() {
    const auto depth = [](const Step& step) {
      return std::count(step.target.begin(), step.target.end(), '/');
    };
    // On v1 a parent may not be smaller than its child: children shrink first, parents grow first.
    std::stable_sort(shrink_.begin(), shrink_.end(),
                     [&](const Step& a, const Step& b) { return depth(a) > depth(b); });
    std::stable_sort(grow_.begin(), grow_.end(),
                     [&](const Step& a, const Step& b) { return depth(a) < depth(b); });
    std::vector<Step> all;
    for (std::vector<Step>* part :
         {&enable_, &make_, &dissolve_, &shrink_, &grow_, &nodes_, &partition_, &move_, &remove_}) {
      all.insert(all.end(), std::make_move_iterator(part->begin()), std::make_move_iterator(part->end()));
    }
    return all;
  }

  const std::vector<CpusetTarget>& targets_;
  const Observed& now_;
  const Baseline& baseline_;
  std::set<std::string> enabled_;
  std::vector<Step> enable_, make_, dissolve_, shrink_, grow_, nodes_, partition_, move_, remove_;
};

}  // namespace

std::vector<Step> diff_cpusets(const std::vector<CpusetTarget>& targets, const Observed& now,
                               const Baseline& baseline) {
  return CpusetDiff(targets, now, baseline).steps();
}

}  // namespace bulkhead
