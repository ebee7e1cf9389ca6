// SPDX-License-Identifier: Apache-2.0
#include "controller/pqos/pqos_actuator.h"

#include <algorithm>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/pqos/expressible.h"
#include "controller/resctrl/class_name.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {

PqosActuator::PqosActuator(const Machine& machine, PqosInterface interface, PqosHelperOptions helper)
    : machine_(machine), interface_(interface), helper_(interface, std::move(helper)) {}

std::string PqosActuator::title(unsigned number) const {
  if (number == 0) return "";
  for (const auto& [name, taken] : classes_) {
    if (taken == number) return name;
  }
  return class_name(number);
}

std::optional<unsigned> PqosActuator::number_of(const std::string& group) const {
  if (group.empty()) return 0;
  const auto found = classes_.find(group);
  return found == classes_.end() ? std::nullopt : std::optional(found->second);
}

unsigned PqosActuator::require_number(const std::string& group) const {
  const auto number = number_of(group);
  if (!number) throw Error(ErrorCode::internal, "group " + group + " has no class of libpqos");
  return *number;
}

Schemata PqosActuator::unused_values(const Schemata& now) {
  const Unused value = unused();
  Schemata values = now;
  values.erase(Resource::slow_bandwidth);
  for (auto& [resource, domains] : values) {
    for (auto& [id, one] : domains)
      one = resource == Resource::memory_bandwidth ? value.bandwidth : value.mask;
  }
  return values;
}

bool PqosActuator::is_used(const PqosClass& one) {
  return !one.cpus.empty() || one.schemata != merged(one.schemata, unused_values(one.schemata)) ||
         !tasks_of_class(one.number).empty();
}

std::vector<ObservedGroup> PqosActuator::observe() {
  std::vector<ObservedGroup> found;
  others_.clear();
  for (PqosClass& one : read_classes()) {
    const std::string name = title(one.number);
    const bool ours = classes_.contains(name);
    if (one.number != 0 && !ours) {
      const bool used = is_used(one);
      if (used || !one.monitoring.empty()) others_.insert(one.number);
      if (!used) continue;
    }
    // A class outlives our use of it, so what others count in ours is not to go with it: it is not told.
    found.push_back({.name = name,
                     .schemata = std::move(one.schemata),
                     .cpus = std::move(one.cpus),
                     .monitoring = ours ? std::vector<ObservedMonitoringGroup>{} : std::move(one.monitoring)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

std::vector<ObservedGroup> PqosActuator::observe(const std::vector<std::string>& names) {
  std::vector<ObservedGroup> found;
  for (const std::string& name : names) {
    const auto number = number_of(name);
    auto one = number ? read_class(*number) : std::nullopt;
    if (one)
      found.push_back({.name = name, .schemata = std::move(one->schemata), .cpus = std::move(one->cpus)});
  }
  return found;
}

void PqosActuator::adopt(const GroupClasses& remembered, const std::vector<Step>& interrupted) {
  classes_ = remembered;
  for (const Step& step : interrupted) {
    const auto number = step.kind == StepKind::make_group ? parse_class_name(step.text) : std::nullopt;
    if (number) classes_[step.target] = *number;
  }
}

void PqosActuator::require_expressible(const Plan& plan, const Observed& now) {
  if (plan.groups.empty()) return;
  require_host(now);
  refuse_inexpressible(interface_, plan, now);
}

void PqosActuator::number(std::vector<Step>& steps) {
  std::set<unsigned> taken = others_;
  for (const auto& [name, number] : classes_) taken.insert(number);
  std::vector<unsigned> given_back;
  const auto take = [&]() -> unsigned {
    for (unsigned number = 1; number < std::min(closids_, kMostPqosClasses); ++number) {
      if (taken.insert(number).second) return number;
    }
    if (given_back.empty()) throw Error(ErrorCode::infeasible, "libpqos has no class left");
    const unsigned number = given_back.back();
    given_back.pop_back();
    return number;
  };
  for (Step& step : steps) {
    if (step.kind == StepKind::remove_group) {
      given_back.push_back(require_number(step.target));
      step.text = class_name(given_back.back());
    } else if (step.kind == StepKind::make_group) {
      step.text = class_name(take());
    }
  }
}

void PqosActuator::apply(const Step& step) {
  require_writable();
  switch (step.kind) {
    case StepKind::make_group:
      return make_group(step.target, step.text);
    case StepKind::remove_group:
      clear(require_number(step.target));
      classes_.erase(step.target);
      return;
    case StepKind::write_schemata:
      return helper_.write(require_number(step.target), parse_schemata(step.text));
    case StepKind::write_cpus: {
      const unsigned number = require_number(step.target);
      const auto now = read_class(number);
      return write_cpus(number, now ? now->cpus : CpuSet{}, CpuSet::parse_list(step.text));
    }
    case StepKind::move_tasks: {
      std::vector<unsigned> tasks;
      for (const auto& [task, group] : step.tasks) tasks.push_back(task);
      return helper_.assign_tasks(require_number(step.target), tasks);
    }
    default:
      throw Error(ErrorCode::internal,
                  "a cgroup step was given to libpqos: " + std::string(to_string(step.kind)));
  }
}

// A class that nobody uses may still be as somebody has left it.
void PqosActuator::make_group(const std::string& group, const std::string& text) {
  const auto number = parse_class_name(text);
  if (!number) throw Error(ErrorCode::internal, "group " + group + " was given no class of libpqos");
  helper_.abilities();
  classes_[group] = *number;
  clear(*number);
}

void PqosActuator::write_cpus(unsigned number, const CpuSet& now, const CpuSet& wanted) {
  if (const CpuSet gone = now - wanted; !gone.empty()) keep_cpus(number, now & wanted, gone);
  if (const CpuSet fresh = wanted - now; !fresh.empty()) helper_.assign_cpus(number, fresh);
}

void PqosActuator::clear(unsigned number) {
  const auto now = read_class(number);
  if (!now) return;
  write_cpus(number, now->cpus, {});
  if (const std::vector<unsigned> tasks = tasks_of_class(number); !tasks.empty())
    helper_.assign_tasks(0, tasks);
  restore_values(number, render_schemata_change({}, unused_values(now->schemata)));
}

void PqosActuator::undo(const Step& step) {
  const std::optional<unsigned> number = number_of(step.target);
  require_writable();
  if (step.kind == StepKind::remove_group) return restore_group(step);
  if (!number) return;  // it was never made
  switch (step.kind) {
    case StepKind::make_group:
      clear(*number);
      classes_.erase(step.target);
      return;
    case StepKind::write_schemata:
      return restore_values(*number, step.before);
    case StepKind::write_cpus:
      if (const auto now = read_class(*number)) {
        write_cpus(*number, now->cpus, CpuSet::parse_list(step.before) & machine_.cpus);
      }
      return;
    case StepKind::move_tasks:
      return restore_tasks(*number, step.tasks);
    default:
      throw Error(ErrorCode::internal,
                  "a cgroup step was given to libpqos: " + std::string(to_string(step.kind)));
  }
}

// Of domains that are still there.
void PqosActuator::restore_values(unsigned number, const std::string& before) {
  const auto now = read_class(number);
  if (!now) return;
  const Schemata wanted = merged(now->schemata, parse_schemata(before));
  const Schemata change =
      parse_schemata(render_schemata_change(now->schemata, same_domains(wanted, now->schemata)));
  if (!change.empty()) helper_.write(number, change);
}

void PqosActuator::restore_group(const Step& step) {
  const auto number = parse_class_name(step.text);
  if (!number) throw Error(ErrorCode::internal, "group " + step.target + " had no class of libpqos");
  classes_[step.target] = *number;
  const auto now = read_class(*number);
  if (!now) return;
  restore_values(*number, step.image.schemata);
  write_cpus(*number, now->cpus, CpuSet::parse_list(step.image.cpus) & machine_.cpus);
  const std::vector<unsigned> here = tasks_of_class(*number);
  std::vector<unsigned> missing;
  for (const unsigned task : step.image.tasks) {
    if (!std::binary_search(here.begin(), here.end(), task)) missing.push_back(task);
  }
  if (!missing.empty()) helper_.assign_tasks(*number, missing);
}

// Only those that are still where the step put them.
void PqosActuator::restore_tasks(unsigned number, const std::map<unsigned, std::string>& tasks) {
  std::map<unsigned, std::vector<unsigned>> back;
  for (const unsigned task : tasks_of_class(number)) {
    const auto moved = tasks.find(task);
    const auto home = moved == tasks.end() ? std::nullopt : number_of(moved->second);
    if (home && *home != number) back[*home].push_back(task);
  }
  for (const auto& [home, members] : back) helper_.assign_tasks(home, members);
}

}  // namespace bulkhead
