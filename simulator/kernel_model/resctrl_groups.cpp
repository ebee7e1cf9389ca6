// SPDX-License-Identifier: Apache-2.0
// Making and removing groups, and the ids that they take.
#include <algorithm>
#include <bit>
#include <cerrno>

#include "controller/base/text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {
namespace {

// Kernels before 7 keep the first run of ones only, even where the hardware takes gaps.
std::uint64_t first_run(std::uint64_t mask) {
  if (mask == 0) return 0;
  const int first = std::countr_zero(mask);
  const int length = std::countr_one(mask >> first);
  return ((std::uint64_t{1} << length) - 1) << first;
}

template <class Owned>
void erase_owned(std::vector<std::unique_ptr<Owned>>& all, const Owned& gone) {
  std::erase_if(all, [&](const auto& each) { return each.get() == &gone; });
}

}  // namespace

int Resctrl::take_closid(unsigned& closid) {
  if (free_closids_.empty()) return fail(ENOSPC, "Out of CLOSIDs");
  closid = *free_closids_.begin();
  free_closids_.erase(free_closids_.begin());
  return 0;
}

int Resctrl::take_rmid(unsigned& rmid) {
  if (!rmids_) return 0;
  const int error = rmids_->allocate(rmid);
  if (error != 0) return fail(error, "Out of RMIDs");
  return 0;
}

void Resctrl::start_counters(unsigned rmid) {
  domains(3).for_each([&](unsigned domain) {
    for (const std::string& event : counters_.shape().events) counters_.start({domain, rmid, event});
  });
}

void Resctrl::free_rmid(unsigned rmid) {
  if (!rmids_ || rmid == 0) return;
  counting_.group_removed(rmid);
  std::set<unsigned> dirty;
  domains(3).for_each([&](unsigned domain) { dirty.insert(domain); });
  // 6.1 looks at once in the domain of the CPU that runs the command, which is taken to be the first one.
  if (!world_.at_least(Generation::linux_6_12) && !dirty.empty()) {
    const unsigned here = domain_of(3, world_.online.first());
    const Reading left = counters_.read({here, rmid, "llc_occupancy"});
    if (left.state != CounterState::good || left.bytes <= threshold_) dirty.erase(here);
  }
  rmids_->free(rmid, std::move(dirty));
}

void Resctrl::second_passed() {
  if (!rmids_) return;
  rmids_->check_limbo([&](unsigned rmid, unsigned domain) {
    const Reading left = counters_.read({domain, rmid, "llc_occupancy"});
    return left.state == CounterState::good && left.bytes < threshold_;
  });
  if (!mounted()) return;
  // So that no counter wraps twice between two readings.
  const auto sample = [&](const Group& group) {
    domains(3).for_each([&](unsigned domain) {
      for (const std::string& event : counters_.shape().events) counters_.read({domain, group.rmid, event});
    });
  };
  const auto sample_all = [&](const Group& group) {
    sample(group);
    for (const auto& child : group.monitoring) sample(*child);
  };
  sample_all(*root_);
  for (const auto& group : groups_) sample_all(*group);
}

int Resctrl::set_initial_values(Group& group, const Schema& schema) {
  DomainValues& values = group.values[schema.name];
  for (const auto& [domain, mine] : root_->values[schema.name]) {
    values[domain] = default_value(schema);
    if (schema.cache == nullptr) continue;
    std::uint64_t wanted = schema.cache->shareable_mask;
    std::uint64_t used = wanted | (io_ && io_.get() != &group ? value_of(*io_, schema, domain) : 0);
    for_each_other(group, [&, id = domain](Group& other) {
      std::uint64_t mask = other.values[schema.name][id];
      if (!schema.half.empty()) mask |= other.values[schema.half][id];
      used |= mask;
      if (other.mode == GroupMode::shareable) wanted |= mask;
    });
    wanted |= schema.full_mask() & ~used;
    const bool gaps = world_.at_least(Generation::linux_7) && schema.cache->sparse;
    values[domain] = gaps ? wanted : first_run(wanted);
    if (static_cast<unsigned>(std::popcount(values[domain])) < schema.cache->min_bits) {
      return fail(ENOSPC, "No space on " + schema.name + ":" + std::to_string(domain));
    }
  }
  return 0;
}

int Resctrl::set_initial_masks(Group& group) {
  for (const Schema& schema : schemas_) {
    if (const int error = set_initial_values(group, schema)) return error;
  }
  return 0;
}

int Resctrl::make_control_group(const std::string& name) {
  command_starts();
  auto group = std::make_unique<Group>();
  group->name = name;
  group->identity = world_.next_identity++;
  // 6.1 takes the RMID first, and so sends one through limbo when there is no CLOSID.
  const bool rmid_first = !world_.at_least(Generation::linux_6_12);
  if (rmid_first) {
    if (const int error = take_rmid(group->rmid)) return error;
  }
  if (const int error = take_closid(group->closid)) {
    free_rmid(group->rmid);
    return error;
  }
  if (!rmid_first) {
    if (const int error = take_rmid(group->rmid)) {
      free_closids_.insert(group->closid);
      return error;
    }
  }
  if (const int error = set_initial_masks(*group)) {
    free_rmid(group->rmid);
    free_closids_.insert(group->closid);
    return error;
  }
  start_counters(group->rmid);
  counting_.group_made(group->rmid);
  groups_.push_back(std::move(group));
  return 0;
}

int Resctrl::make_monitoring_group(Group& parent, const std::string& name) {
  command_starts();
  auto group = std::make_unique<Group>();
  group->name = name;
  group->identity = world_.next_identity++;
  group->parent = &parent;
  group->closid = parent.closid;
  if (const int error = take_rmid(group->rmid)) return error;
  start_counters(group->rmid);
  counting_.group_made(group->rmid);
  parent.monitoring.push_back(std::move(group));
  return 0;
}

void Resctrl::move_tasks(unsigned closid, unsigned rmid, bool any_rmid, const Group& to) {
  for (auto& [id, task] : world_.tasks) {
    if (task.closid != closid || (!any_rmid && task.rmid != rmid)) continue;
    task.closid = to.closid;
    task.rmid = to.rmid;
  }
}

int Resctrl::remove_control_group(Group& group) {
  command_starts();
  move_tasks(group.closid, 0, true, *root_);
  root_->cpus |= group.cpus;
  free_closids_.insert(group.closid);
  free_rmid(group.rmid);
  for (const auto& child : group.monitoring) free_rmid(child->rmid);
  erase_owned(groups_, group);
  return 0;
}

int Resctrl::remove_monitoring_group(Group& group) {
  command_starts();
  move_tasks(group.closid, group.rmid, false, *group.parent);
  free_rmid(group.rmid);
  erase_owned(group.parent->monitoring, group);
  return 0;
}

unsigned Resctrl::rmid_of(const std::string& group) const {
  return find_group(group)->rmid;
}

}  // namespace bulkhead::sim
