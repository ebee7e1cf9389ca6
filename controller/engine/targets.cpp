// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/targets.h"

#include <algorithm>

#include "cgroup/units.h"
#include "controller/base/error.h"

namespace bulkhead {
namespace {

bool has_own_processes(SelectKind kind) {
  return kind == SelectKind::exe || kind == SelectKind::comm || kind == SelectKind::pids ||
         kind == SelectKind::pidfile;
}

std::string own_path(const std::string& service) {
  return std::string(kOwnCgroupPrefix) + service;
}

class Resolver {
 public:
  Resolver(const Plan& plan, const Observed& now, const Baseline& baseline, Contested contested,
           std::vector<Error>* objections)
      : plan_(plan), now_(now), baseline_(baseline), contested_(contested), objections_(objections) {}

  std::vector<CpusetTarget> resolve() {
    for (const CpusetPlan& cpuset : plan_.cpusets) check_host(cpuset);
    for (const CpusetPlan& cpuset : plan_.cpusets) {
      if (cpuset.select.kind != SelectKind::others) add_service(cpuset);
    }
    for (const CpusetPlan& cpuset : plan_.cpusets) {
      if (cpuset.select.kind == SelectKind::others) add_others(cpuset);
    }
    for (const auto& [unit, limits] : now_.idle_units) add_idle_unit(unit);
    return std::move(targets_);
  }

 private:
  void check_host(const CpusetPlan& cpuset) const {
    if (now_.cgroup_v1 && cpuset.partition != Partition::member) {
      throw Error(ErrorCode::unsupported,
                  "service '" + cpuset.service +
                      "' asks for a cpuset partition, which only cgroup v2 has; this host has cpuset on v1");
    }
    if (now_.systemd && !now_.cgroup_v1 && has_own_processes(cpuset.select.kind)) {
      throw Error(ErrorCode::unsupported,
                  "service '" + cpuset.service +
                      "' is selected by process, but systemd owns this host's cgroups: select the unit that "
                      "runs it ({\"unit\": \"NAME.service\"}), or ask for \"all\" CPUs");
    }
  }

  CpusetTarget target_of(const CpusetPlan& cpuset, std::string path) const {
    CpusetTarget target{.service = cpuset.service,
                        .path = std::move(path),
                        .cpus = cpuset.cpus,
                        .memory_nodes = cpuset.memory_nodes,
                        .partition = cpuset.partition};
    if (const ObservedCpuset* observed = now_.find_cpuset(target.path)) target.unit = observed->unit;
    return target;
  }

  void add_service(const CpusetPlan& cpuset) {
    const ObservedService* service = now_.find_service(cpuset.service);
    if (service == nullptr || !service->found) return;
    if (needs_own_cgroup(cpuset.select, *service, now_)) {
      CpusetTarget target = target_of(cpuset, own_path(cpuset.service));
      target.own = true;
      target.processes = service->processes;
      targets_.push_back(std::move(target));
      return;
    }
    for (const std::string& path : service->cgroups) targets_.push_back(target_of(cpuset, path));
  }

  // Every cgroup that is beside a service's, or beside one of its ancestors: from the top down, and no deeper
  // than it takes to leave the services out.
  void add_others(const CpusetPlan& cpuset) {
    const std::vector<std::string> services = service_paths();
    for (const ObservedCpuset& observed : now_.cpusets) {
      const std::string& path = observed.path;
      if (path == "/" || path.starts_with(kOwnCgroupPrefix)) continue;
      const std::string parent = ancestors_of(path).back();
      const bool beside =
          parent == "/" || std::any_of(services.begin(), services.end(),
                                       [&](const auto& service) { return is_below(service, parent); });
      const bool theirs = std::any_of(services.begin(), services.end(), [&](const auto& service) {
        return service == path || is_below(service, path) || is_below(path, service);
      });
      if (!beside || theirs) continue;
      CpusetTarget target = target_of(cpuset, path);
      narrow_to_baseline(target, observed);
      targets_.push_back(std::move(target));
    }
    add_root_processes(cpuset);
  }

  // Those in the root, which cannot be confined, and that no service has in a cgroup of its own.
  void add_root_processes(const CpusetPlan& cpuset) {
    std::string path = own_path(cpuset.service);
    // A service may have that name, too.
    while (std::any_of(targets_.begin(), targets_.end(),
                       [&](const auto& target) { return target.path == path; })) {
      path += '_';
    }
    std::vector<unsigned> processes = now_.root_processes;
    for (const CpusetTarget& target : targets_) {
      if (!target.own) continue;
      std::erase_if(processes, [&](unsigned process) {
        return std::find(target.processes.begin(), target.processes.end(), process) != target.processes.end();
      });
    }
    // It stays when all who were in the root are in it.
    if (processes.empty() && !now_.own_cgroups.contains(path)) return;
    CpusetTarget target = target_of(cpuset, path);
    target.own = true;
    target.processes = std::move(processes);
    targets_.push_back(std::move(target));
  }

  // Of the service that selects it, else of others: it may start again at any time.
  void add_idle_unit(const std::string& unit) {
    const CpusetPlan* chosen = nullptr;
    for (const CpusetPlan& cpuset : plan_.cpusets) {
      const bool selected = cpuset.select.kind == SelectKind::unit && cpuset.select.text == unit;
      if (selected || (chosen == nullptr && cpuset.select.kind == SelectKind::others)) chosen = &cpuset;
    }
    if (chosen == nullptr) return;
    CpusetTarget target{
        .service = chosen->service, .unit = unit, .cpus = chosen->cpus, .memory_nodes = chosen->memory_nodes};
    if (chosen->select.kind == SelectKind::others) narrow_to_baseline(target, {});
    targets_.push_back(std::move(target));
  }

  std::vector<std::string> service_paths() const {
    std::vector<std::string> paths;
    for (const CpusetPlan& cpuset : plan_.cpusets) {
      const ObservedService* service = now_.find_service(cpuset.service);
      if (cpuset.select.kind == SelectKind::others || service == nullptr ||
          needs_own_cgroup(cpuset.select, *service, now_)) {
        continue;
      }
      paths.insert(paths.end(), service->cgroups.begin(), service->cgroups.end());
    }
    // A service that has stopped keeps its place, which its siblings' slices must leave open.
    for (const auto& unit : now_.idle_units) {
      const bool selected = std::any_of(plan_.cpusets.begin(), plan_.cpusets.end(), [&](const auto& cpuset) {
        return cpuset.select.kind == SelectKind::unit && cpuset.select.text == unit.first;
      });
      if (selected) paths.push_back(unit.second.path);
    }
    return paths;
  }

  // "CPUs 0-3, which are web's alone,"
  std::string with_owners(const CpuSet& cpus) const {
    std::string owners;
    for (const ServiceEffect& service : plan_.services) {
      if (!service.exclusive_cpus || !service.cpus.intersects(cpus)) continue;
      owners += (owners.empty() ? "" : " and ") + service.service;
    }
    return "CPUs " + cpus.to_list() + (owners.empty() ? "" : ", which are " + owners + "'s alone,");
  }

  void narrow_to_baseline(CpusetTarget& target, const ObservedCpuset& observed) const {
    CpuSet before = observed.cpus;
    if (const auto image = baseline_.cpusets.find(target.path); image != baseline_.cpusets.end()) {
      if (image->second.cpus) before = CpuSet::parse_list(*image->second.cpus);
    } else if (const auto limits = baseline_.units.find(target.unit); limits != baseline_.units.end()) {
      before = parse_unit_limits(limits->second).cpus;
    }
    if (before.empty()) return;
    CpuSet narrowed = target.cpus & before;
    if (narrowed.empty()) {
      const Error error(ErrorCode::infeasible, "cgroup " + target.path + " is confined to " +
                                                   with_owners(before) + " by another program: let it have " +
                                                   "some of " + target.cpus.to_list() +
                                                   ", which others have, or remove its cpuset.cpus");
      if (contested_ == Contested::refuse) throw error;
      if (objections_ != nullptr) objections_->push_back(error);
      narrowed = before;
    }
    target.cpus = narrowed;
  }

  const Plan& plan_;
  const Observed& now_;
  const Baseline& baseline_;
  Contested contested_;
  std::vector<Error>* objections_;
  std::vector<CpusetTarget> targets_;
};

}  // namespace

std::vector<CpusetTarget> resolve_targets(const Plan& plan, const Observed& now, const Baseline& baseline,
                                          Contested contested, std::vector<Error>* objections) {
  return Resolver(plan, now, baseline, contested, objections).resolve();
}

// On cgroup v1 systemd does not manage the hierarchy with cpusets: there a unit has a cgroup only if somebody
// else has made one of its name.
bool needs_own_cgroup(const Select& select, const ObservedService& service, const Observed& now) {
  if (!now.cgroup_v1 || select.kind != SelectKind::unit) return has_own_processes(select.kind);
  return std::none_of(service.cgroups.begin(), service.cgroups.end(),
                      [&](const std::string& path) { return path.ends_with('/' + select.text); });
}

bool are_configured(const CpuSet& cpus, const ObservedCpuset& cpuset, const CpuSet& online) {
  if (cpuset.cpus == cpus) return true;
  const CpuSet usable = cpuset.cpus & online;
  return !usable.empty() && usable == cpus;
}

bool is_below(const std::string& path, const std::string& ancestor) {
  if (ancestor == "/") return path != "/";
  return path.size() > ancestor.size() && path.starts_with(ancestor) && path[ancestor.size()] == '/';
}

std::vector<std::string> ancestors_of(const std::string& path) {
  std::vector<std::string> ancestors;
  if (path == "/") return ancestors;
  ancestors.emplace_back("/");
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    ancestors.push_back(path.substr(0, slash));
  }
  return ancestors;
}

}  // namespace bulkhead
