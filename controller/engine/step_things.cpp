// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/step_things.h"

#include <algorithm>
#include <iterator>

#include "controller/engine/targets.h"
#include "controller/resctrl/group_path.h"
#include "controller/resctrl/schemata.h"

namespace bulkhead {
namespace {

std::string titled(const std::string& group) {
  return group.empty() ? "the default group" : "group " + group;
}

std::string value_of_group(const std::string& group, Resource resource, CacheId ccd) {
  return std::string(resource_name(resource)) + " of " + titled(group) + " on CCD " + to_string(ccd);
}

Things values_of(const Step& step) {
  Things things;
  for (const auto& [resource, values] : parse_schemata(step.text)) {
    for (const auto& [ccd, value] : values) things.insert(value_of_group(step.target, resource, ccd));
  }
  return things;
}

// Nothing goes into a group that is not made.
bool lacks_its_group(const Step& step, const Things& held) {
  return is_resctrl(step.kind) &&
         (held.contains(titled(step.target)) || held.contains(titled(control_group_of(step.target))));
}

bool lacks_its_cgroup(const Step& step, const Step& waiting) {
  if (is_resctrl(waiting.kind) || is_resctrl(step.kind)) return false;
  return is_below(step.target, waiting.target) ||
         (waiting.kind == StepKind::make_cgroup && step.target == waiting.target);
}

void hold_values(Step& step, const Things& held) {
  Schemata rest = parse_schemata(step.text);
  for (auto& [resource, values] : rest) {
    std::erase_if(values, [&, kind = resource](const auto& value) {
      return held.contains(value_of_group(step.target, kind, value.first));
    });
  }
  std::erase_if(rest, [](const auto& line) { return line.second.empty(); });
  step.text = render_schemata_change({}, rest);
  step.before = render_schemata_change({}, same_domains(parse_schemata(step.before), rest));
}

void hold_tasks(Step& step, const Things& held) {
  std::erase_if(step.tasks, [&](const auto& task) {
    const Step one{.kind = step.kind, .tasks = {task}};
    return held.contains(*things_of(one).begin());
  });
}

bool is_whole(const Step& step) {
  return step.kind != StepKind::write_schemata && step.kind != StepKind::move_tasks &&
         step.kind != StepKind::move_processes;
}

bool is_held(const Step& step, const Things& held) {
  const Things things = things_of(step);
  return std::any_of(things.begin(), things.end(), [&](const auto& thing) { return held.contains(thing); });
}

}  // namespace

std::string group_of_thread(unsigned thread) {
  return "group of thread " + std::to_string(thread);
}

Things things_of(const Step& step) {
  Things things;
  switch (step.kind) {
    case StepKind::make_group:
    case StepKind::remove_group:
      return {titled(step.target)};
    case StepKind::write_schemata:
      return values_of(step);
    case StepKind::write_cpus:  // a control group's and its monitoring groups' are written together
      return {"CPUs of " + titled(control_group_of(step.target))};
    case StepKind::move_tasks:
      for (const auto& [thread, group] : step.tasks) things.insert(group_of_thread(thread));
      return things;
    case StepKind::enable_cpuset:
    case StepKind::disable_cpuset:
      return {"cpusets below cgroup " + step.target};
    case StepKind::make_cgroup:
    case StepKind::remove_cgroup:
      return {"cgroup " + step.target};
    case StepKind::write_cpuset_mems:
      return {"memory nodes of cgroup " + step.target};
    case StepKind::write_cpuset_cpus:  // a partition is dissolved, sized and made again
    case StepKind::write_partition:
      return {"CPUs of cgroup " + step.target};
    case StepKind::set_unit:
      return {"CPUs of unit " + step.target};
    case StepKind::move_processes:
      for (const auto& [process, cgroup] : step.tasks)
        things.insert("cgroup of process " + std::to_string(process));
      return things;
  }
  return things;
}

Things things_of(const std::vector<Step>& steps) {
  Things things;
  for (const Step& step : steps) things.merge(things_of(step));
  return things;
}

void hold_back(std::vector<Step>& steps, const Things& held) {
  if (held.empty()) return;
  std::vector<Step> waiting;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(waiting),
               [&](const Step& step) { return is_whole(step) && is_held(step, held); });
  std::erase_if(steps, [&](Step& step) {
    if (lacks_its_group(step, held) || (is_whole(step) && is_held(step, held))) return true;
    if (std::any_of(waiting.begin(), waiting.end(),
                    [&](const Step& other) { return lacks_its_cgroup(step, other); }))
      return true;
    if (step.kind == StepKind::write_schemata) {
      hold_values(step, held);
      return step.text.empty();
    }
    if (is_whole(step) || !is_held(step, held)) return false;
    hold_tasks(step, held);
    return step.tasks.empty();
  });
}

}  // namespace bulkhead
