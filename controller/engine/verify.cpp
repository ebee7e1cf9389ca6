// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "controller/base/text.h"
#include "controller/engine/diff.h"
#include "controller/engine/kernel_words.h"
#include "controller/engine/thread_steps.h"

namespace bulkhead {
namespace {

std::string_view label(Resource resource) {
  switch (resource) {
    case Resource::l3:
      return "L3 mask";
    case Resource::l3_code:
      return "L3 code mask";
    case Resource::l3_data:
      return "L3 data mask";
    case Resource::memory_bandwidth:
      return "memory bandwidth";
    case Resource::slow_bandwidth:
      return "slow memory bandwidth";
  }
  return {};
}

std::string value_text(Resource resource, std::uint64_t value) {
  return holds_ways(resource) ? WayMask{value}.to_hex() : std::to_string(value);
}

std::string title(const std::string& group) {
  return group.empty() ? "the default group" : "group " + group;
}

std::string none_if_empty(const std::string& list) {
  return list.empty() ? "none" : list;
}

class Verifier {
 public:
  Verifier(const Plan& plan, const Observed& now, const std::vector<CpusetTarget>& targets,
           const std::vector<HostThread>& threads, const Machine& machine)
      : plan_(plan), now_(now), targets_(targets), threads_(threads), machine_(machine) {}

  std::vector<Finding> run() {
    for (const ControlGroup& group : plan_.groups) check_group(group);
    for (const ObservedService& service : now_.services) check_thread_groups(service);
    for (const CpusetTarget& target : targets_) check_cpuset(target);
    for (const ServiceEffect& service : plan_.services) check_thread_cpus(service);
    check_intruders();
    return std::move(findings_);
  }

 private:
  void add(Finding finding) {
    finding.message += ": expected " + finding.expected + ", found " + finding.observed;
    findings_.push_back(std::move(finding));
  }

  static std::string owner_of(const ControlGroup& group) {
    return group.services.empty() ? "" : group.services.front();
  }

  void check_group(const ControlGroup& group) {
    const std::string owner = owner_of(group);
    const ObservedGroup* observed = now_.find_group(group.name);
    if (observed == nullptr) {
      add({"group", owner, {}, group.name, "no such group", title(group.name) + " is not there"});
      return;
    }
    for (const auto& [resource, values] : group.schemata) {
      for (const auto& [domain, value] : values) check_value(group, *observed, resource, domain, value);
    }
    if (!group.name.empty()) {
      const CpuSet wanted = group.takes_cpus ? group.cpus & machine_.cpus : CpuSet{};
      if (observed->cpus != wanted) {
        add({"group_cpus",
             owner,
             {},
             none_if_empty(wanted.to_list()),
             none_if_empty(observed->cpus.to_list()),
             title(group.name) + " has other CPUs"});
      }
    }
    for (const MonitoringGroup& wanted : group.monitoring) {
      const bool there = std::any_of(observed->monitoring.begin(), observed->monitoring.end(),
                                     [&](const auto& one) { return one.name == wanted.name; });
      if (!there) {
        add({"monitoring_group",
             wanted.service,
             {},
             wanted.name,
             "no such group",
             "monitoring group " + wanted.name + " in " + title(group.name) + " is not there"});
      }
    }
  }

  void check_value(const ControlGroup& group, const ObservedGroup& observed, Resource resource,
                   CacheId domain, std::uint64_t wanted) {
    const auto values = observed.schemata.find(resource);
    const bool there = values != observed.schemata.end() && values->second.contains(domain);
    if (there && values->second.at(domain) == wanted) return;
    add({holds_ways(resource) ? "mask" : "bandwidth", owner_of(group), domain, value_text(resource, wanted),
         there ? value_text(resource, values->second.at(domain)) : "no such domain",
         std::string(label(resource)) + " of " + title(group.name) + " on CCD " + to_string(domain)});
  }

  void check_thread_groups(const ObservedService& service) {
    if (plan_.groups.empty()) return;
    const std::string wanted = group_path_of(plan_, service.service);
    std::map<std::string, std::vector<unsigned>> elsewhere;
    for (const auto& [thread, group] : service.thread_groups) {
      if (group != wanted) elsewhere[group].push_back(thread);
    }
    for (const auto& [group, threads] : elsewhere) {
      add({"thread_group",
           service.service,
           {},
           title(wanted),
           title(group),
           name_threads(threads) + " of " + service.service + " in the wrong group",
           threads});
    }
  }

  void check_cpuset(const CpusetTarget& target) {
    if (target.path.empty()) return;  // it does not run
    const std::string where = "cgroup " + target.path;
    const ObservedCpuset* observed = now_.find_cpuset(target.path);
    if (observed == nullptr || !observed->controlled) {
      add({"cpuset", target.service, {}, target.cpus.to_list(), "no cpuset there", "CPUs of " + where});
      return;
    }
    if (!are_configured(target.cpus, *observed, machine_.cpus)) {
      add({"cpuset",
           target.service,
           {},
           target.cpus.to_list(),
           none_if_empty(observed->cpus.to_list()),
           "configured CPUs of " + where});
    }
    const CpuSet usable = target.cpus & machine_.cpus;
    if (observed->effective_cpus != usable) {
      add({"effective_cpus",
           target.service,
           {},
           usable.to_list(),
           none_if_empty(observed->effective_cpus.to_list()),
           "effective CPUs of " + where});
    }
    if (!target.memory_nodes.empty() && observed->effective_memory_nodes != target.memory_nodes) {
      add({"effective_mems",
           target.service,
           {},
           target.memory_nodes.to_list(),
           none_if_empty(observed->effective_memory_nodes.to_list()),
           "effective memory nodes of " + where});
    }
    const std::string wanted(word_of(target.partition));
    if (target.partition != Partition::member && observed->partition != wanted) {
      add({"partition",
           target.service,
           {},
           wanted,
           none_if_empty(observed->partition),
           "partition of " + where});
    }
  }

  const HostThread* find_thread(unsigned id) const {
    const auto found =
        std::lower_bound(threads_.begin(), threads_.end(), id,
                         [](const HostThread& thread, unsigned wanted) { return thread.id < wanted; });
    return found == threads_.end() || found->id != id ? nullptr : &*found;
  }

  // A thread may be pinned to fewer CPUs than its service has, not to others.
  void check_thread_cpus(const ServiceEffect& service) {
    const ObservedService* observed = now_.find_service(service.service);
    const bool confined =
        std::any_of(plan_.cpusets.begin(), plan_.cpusets.end(),
                    [&](const CpusetPlan& cpuset) { return cpuset.service == service.service; });
    if (observed == nullptr || !confined) return;
    std::vector<unsigned> outside;
    CpuSet seen;
    for (const auto& [id, group] : observed->thread_groups) {
      const HostThread* thread = find_thread(id);
      if (thread == nullptr) continue;
      const CpuSet may_run = thread->allowed_cpus & machine_.cpus;
      if (service.cpus.contains(may_run)) continue;
      outside.push_back(id);
      seen |= may_run;
    }
    if (outside.empty()) return;
    add({"thread_cpus",
         service.service,
         {},
         service.cpus.to_list(),
         seen.to_list(),
         name_threads(outside) + " of " + service.service + " may run elsewhere",
         outside});
  }

  void check_intruders() {
    for (const ServiceEffect& owner : plan_.services) {
      if (!owner.exclusive_cpus) continue;
      const ObservedService* service = now_.find_service(owner.service);
      std::map<std::string, std::vector<unsigned>> by_name;
      for (const HostThread& thread : threads_) {
        if (thread.kernel || !thread.allowed_cpus.intersects(owner.cpus)) continue;
        if (service != nullptr && service->thread_groups.contains(thread.id)) continue;
        by_name[thread.name].push_back(thread.id);
      }
      for (const auto& [name, ids] : by_name) {
        add({"intruder",
             owner.service,
             {},
             "only threads of " + owner.service,
             "'" + name + "'",
             "CPUs " + owner.cpus.to_list() + " are " + owner.service + "'s alone, but " + name_threads(ids) +
                 " may run there",
             ids});
      }
    }
  }

  const Plan& plan_;
  const Observed& now_;
  const std::vector<CpusetTarget>& targets_;
  const std::vector<HostThread>& threads_;
  const Machine& machine_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_structure(const Plan& plan, const Observed& now,
                                      const std::vector<CpusetTarget>& targets,
                                      const std::vector<HostThread>& threads, const Machine& machine) {
  return Verifier(plan, now, targets, threads, machine).run();
}

}  // namespace bulkhead
