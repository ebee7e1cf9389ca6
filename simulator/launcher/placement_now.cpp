// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/placement_now.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace bulkhead::sim {
namespace {

class Placing {
 public:
  Placing(const KernelModel& kernel, const Machine& machine) : kernel_(kernel), machine_(machine) {
    for (const Group* group : kernel.resctrl_groups()) add_group(*group);
    if (placement_.controls.empty())
      placement_.controls.push_back(unlimited(machine));  // no resctrl is mounted
  }

  void add_service(unsigned service, unsigned process) {
    std::vector<const Task*> threads;
    for (const auto& [id, task] : kernel_.world().tasks) {
      if (task.process == process && !task.zombie) threads.push_back(&task);
    }
    std::map<std::pair<unsigned, unsigned>, Crew> crews;  // by control and counted id
    for (std::size_t index = 0; index < threads.size(); ++index) {
      const Seat seat = seat_of(*threads[index], index, threads.size());
      Crew& crew = crews[{seat.control, seat.counted}];
      crew.service = service;
      crew.control = seat.control;
      crew.counted = seat.counted;
      crew.memory_nodes |= near_nodes(*threads[index]);
      const auto same = std::ranges::find(crew.threads, seat.cpus, &ThreadSet::cpus);
      if (same == crew.threads.end()) {
        crew.threads.push_back({1, seat.cpus});
      } else {
        ++same->threads;
      }
    }
    for (auto& [key, crew] : crews) placement_.crews.push_back(std::move(crew));
  }

  Placement take() { return std::move(placement_); }

 private:
  void add_group(const Group& group) {
    groups_.push_back(&group);
    if (!group.is_control()) return;
    Control control = unlimited(machine_);
    for (std::size_t ccd = 0; ccd < machine_.ccds.size(); ++ccd)
      limit(group, machine_.ccds[ccd].l3, control[ccd]);
    controls_[&group] = static_cast<unsigned>(placement_.controls.size());
    placement_.controls.push_back(std::move(control));
  }

  struct Seat {
    unsigned control = 0;
    unsigned counted = 0;
    CpuSet cpus;
  };

  // Linux takes memory where it is first used: on the nodes of the CPUs that a thread may run on, as far as
  // it may have memory there.
  CpuSet near_nodes(const Task& task) const {
    const CpuSet nodes = kernel_.memory_nodes_of(task);
    CpuSet near;
    for (const Ccd& ccd : machine_.ccds) {
      const bool runs_there =
          std::ranges::any_of(ccd.cpus, [&](unsigned cpu) { return task.allowed.contains(cpu); });
      if (runs_there && nodes.contains(ccd.node)) near.insert(ccd.node);
    }
    return near.empty() ? nodes : near;
  }

  // A thread in a group of its own is in it wherever it runs; one in the default group is in the group of its
  // CPU. Where it may run on CPUs of several groups, the service's threads are spread over them evenly.
  Seat seat_of(const Task& task, std::size_t index, std::size_t threads) const {
    const CpuSet cpus = task.allowed & kernel_.world().online;
    if (groups_.empty() || cpus.empty()) return {0, 0, cpus};
    if (task.closid != 0 || task.rmid != 0) {
      const auto own = std::ranges::find_if(groups_, [&](const Group* group) {
        return group->closid == task.closid && group->rmid == task.rmid;
      });
      if (own != groups_.end()) return {control_of(**own), (*own)->rmid, cpus};
    }
    std::vector<unsigned> all;
    cpus.for_each([&](unsigned cpu) { all.push_back(cpu); });
    const Group& group = group_of_cpu(all[index * all.size() / threads]);
    CpuSet there;
    for (const unsigned cpu : all) {
      if (&group_of_cpu(cpu) == &group) there.insert(cpu);
    }
    return {control_of(group), group.rmid, there};
  }

  // Monitoring groups stand after their control group, whose CPUs theirs are.
  const Group& group_of_cpu(unsigned cpu) const {
    const Group* found = groups_.front();
    for (const Group* group : groups_) {
      if (group->cpus.contains(cpu)) found = group;
    }
    return *found;
  }

  void limit(const Group& group, unsigned domain, CcdLimit& limit) const {
    // With code and data apart the model takes both for one.
    WayMask ways;
    for (const char* line : {"L3", "L3DATA", "L3CODE"}) {
      if (const auto value = value_of(group, line, domain)) ways = ways | WayMask{*value};
    }
    if (!ways.empty()) limit.ways = ways;
    const auto& shape = kernel_.world().shape.bandwidth;
    const auto value = value_of(group, "MB", domain);
    if (value && shape) limit.bandwidth = bandwidth_limit(machine_, *shape, static_cast<unsigned>(*value));
  }

  static std::optional<std::uint64_t> value_of(const Group& group, const char* line, unsigned domain) {
    const auto values = group.values.find(line);
    if (values == group.values.end()) return std::nullopt;
    const auto value = values->second.find(domain);
    return value == values->second.end() ? std::nullopt : std::optional(value->second);
  }

  unsigned control_of(const Group& group) const {
    return controls_.at(group.is_control() ? &group : group.parent);
  }

  const KernelModel& kernel_;
  const Machine& machine_;
  std::vector<const Group*> groups_;
  std::map<const Group*, unsigned> controls_;
  Placement placement_;
};

}  // namespace

Placement placement_now(const KernelModel& kernel, const Machine& machine,
                        std::span<const unsigned> processes) {
  Placing placing(kernel, machine);
  for (unsigned service = 0; service < processes.size(); ++service) {
    placing.add_service(service, processes[service]);
  }
  return placing.take();
}

}  // namespace bulkhead::sim
