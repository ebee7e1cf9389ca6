// SPDX-License-Identifier: Apache-2.0
// Mounting and unmounting resctrl, and what its options make of the hardware.
#include <algorithm>
#include <cerrno>
#include <limits>

#include "controller/base/text.h"
#include "simulator/kernel_model/resctrl.h"

namespace bulkhead::sim {
Resctrl::Resctrl(World& world)
    : ResctrlState(world),
      status_(world.at_least(Generation::linux_7)),
      counters_(world.shape.monitoring.value_or(MonitoringShape{})),
      counting_(world, counters_, status_, [this] { return domains(3); }) {
  if (const auto& monitoring = world.shape.monitoring) {
    rmids_.emplace(monitoring->rmids);
    threshold_ =
        monitoring->threshold_limit / monitoring->rmids / monitoring->unit_bytes * monitoring->unit_bytes;
  }
  domains(3).for_each([&](unsigned domain) { domain_identities_[domain] = world_.next_identity++; });
}

int Resctrl::parse_options(const std::string& text, std::set<std::string>& options) const {
  const KernelShape& shape = world_.shape;
  const bool counts_bandwidth =
      shape.monitoring && std::ranges::count(shape.monitoring->events, "mbm_local_bytes") != 0;
  const std::map<std::string_view, bool> supported{
      {"cdp", shape.l3 && shape.l3->cdp_capable},
      {"cdpl2", shape.l2 && shape.l2->cdp_capable},
      {"mba_MBps", shape.bandwidth && shape.bandwidth->percent && counts_bandwidth},
      {"debug", world_.at_least(Generation::linux_6_12)},
      {"ro", true},
      {"rw", true},
      {"nosuid", true},
      {"nodev", true},
      {"noexec", true},
      {"relatime", true},
  };
  for (const std::string_view option : split(text, ',')) {
    const auto found = supported.find(option);
    if (found == supported.end() || !found->second) return EINVAL;
    options.emplace(option);
  }
  return 0;
}

int Resctrl::mount(const std::string& text) {
  if (!world_.shape.has_resctrl()) return ENODEV;
  if (mounted()) return EBUSY;
  std::set<std::string> options;
  if (const int error = parse_options(text, options)) return error;
  options_ = std::move(options);
  status_.clear();
  make_schemas();
  root_ = std::make_unique<Group>();
  root_->identity = world_.next_identity++;
  root_->cpus = world_.online;
  free_closids_.clear();
  unsigned closids = std::numeric_limits<unsigned>::max();
  for (const Schema& schema : schemas_) {
    closids = std::min(closids, schema.closids);
    domains(schema.level).for_each([&](unsigned domain) {
      root_->values[schema.name][domain] = default_value(schema);
    });
  }
  if (rmids_) counting_.group_made(root_->rmid);
  for (unsigned closid = 1; !schemas_.empty() && closid < closids; ++closid) free_closids_.insert(closid);
  return 0;
}

int Resctrl::unmount() {
  if (!mounted()) return EINVAL;
  for (const auto& group : groups_) {
    for (const auto& child : group->monitoring) free_rmid(child->rmid);
    if (rmids_) free_rmid(group->rmid);
  }
  for (const auto& child : root_->monitoring) free_rmid(child->rmid);
  for (auto& [id, task] : world_.tasks) task.closid = task.rmid = 0;
  counting_.group_removed(0);
  groups_.clear();
  io_.reset();
  root_.reset();
  options_.clear();
  return 0;
}

std::string Resctrl::shown_options() const {
  std::string shown;
  for (const char* option : {"cdp", "cdpl2", "mba_MBps", "debug"}) {
    if (has_option(option)) shown += std::string(",") + option;
  }
  return shown;
}

void Resctrl::add_cache(const std::string& name, unsigned level, const CacheShape& cache, bool split) {
  Schema schema{.name = name,
                .level = level,
                .closids = cache.closids,
                .code_and_data = cache.cdp_capable,
                .cache = &cache};
  if (!split) {
    schemas_.push_back(schema);
    return;
  }
  schema.closids /= 2;
  schema.name = name + "DATA";
  schema.half = name + "CODE";
  schemas_.push_back(schema);
  std::swap(schema.name, schema.half);
  schemas_.push_back(schema);
}

void Resctrl::make_schemas() {
  const KernelShape& shape = world_.shape;
  schemas_.clear();
  for (const auto& [name, bandwidth] :
       {std::pair("SMBA", &shape.slow_bandwidth), std::pair("MB", &shape.bandwidth)}) {
    const bool slow = bandwidth == &shape.slow_bandwidth;
    if (*bandwidth && (!slow || world_.at_least(Generation::linux_6_12))) {
      schemas_.push_back({.name = name, .closids = (*bandwidth)->closids, .bandwidth = &**bandwidth});
    }
  }
  if (shape.l2) add_cache("L2", 2, *shape.l2, has_option("cdpl2"));
  if (shape.l3) add_cache("L3", 3, *shape.l3, has_option("cdp"));
}

void Resctrl::cpu_went_offline(unsigned cpu) {
  std::set<unsigned> levels_lost;
  for (const unsigned level : {2U, 3U}) {
    if (!domains(level).contains(domain_of(level, cpu))) levels_lost.insert(level);
  }
  const unsigned domain = domain_of(3, cpu);
  if (levels_lost.contains(3)) {
    domain_identities_.erase(domain);
    counters_.forget_domain(domain);
    counting_.domain_lost(domain);
    if (rmids_) rmids_->check_limbo([&](unsigned, unsigned dirty) { return dirty == domain; });
  }
  if (!mounted()) return;
  const auto lose = [&](Group& group) {
    group.cpus.erase(cpu);
    for (const auto& child : group.monitoring) child->cpus.erase(cpu);
    for (const Schema& schema : schemas_) {
      if (levels_lost.contains(schema.level)) group.values[schema.name].erase(domain_of(schema.level, cpu));
    }
  };
  lose(*root_);
  if (io_) lose(*io_);
  for (const auto& group : groups_) lose(*group);
}

void Resctrl::cpu_came_online(unsigned cpu) {
  const auto is_new = domain_identities_.try_emplace(domain_of(3, cpu), world_.next_identity);
  if (is_new.second) ++world_.next_identity;
  if (!mounted()) return;
  root_->cpus.insert(cpu);
  const auto gain = [&](Group& group) {
    for (const Schema& schema : schemas_) {
      group.values[schema.name].try_emplace(domain_of(schema.level, cpu), default_value(schema));
    }
  };
  gain(*root_);
  if (io_) gain(*io_);
  for (const auto& group : groups_) gain(*group);
}

}  // namespace bulkhead::sim
