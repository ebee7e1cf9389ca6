// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/live_experiment_host.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/engine/behaviour_check.h"
#include "controller/kernel/paths.h"
#include "controller/planner/plan_json.h"
#include "controller/resctrl/group_path.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

struct Fact {
  std::string_view name;
  std::string_view directory;
  const char* file;
};

constexpr Fact kFacts[] = {
    {"kernel", paths::kProc, "sys/kernel/osrelease"},
    {"online CPUs", paths::kCpu, "online"},
    {"SMT", paths::kCpu, "smt/control"},
    {"governor", paths::kCpu, "cpu0/cpufreq/scaling_governor"},
    {"largest frequency", paths::kCpu, "cpu0/cpufreq/scaling_max_freq"},
    {"boost", paths::kCpu, "cpufreq/boost"},
    {"turbo off", paths::kCpu, "intel_pstate/no_turbo"},
    {"NUMA nodes", paths::kNode, "online"},
    {"microcode", paths::kCpu, "cpu0/microcode/version"},
    {"times throttled", paths::kCpu, "cpu0/thermal_throttle/package_throttle_count"},
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

using Clock = std::chrono::steady_clock;

// Of what was read from then on until now.
Clock::time_point middle_since(Clock::time_point begun) {
  return begun + (Clock::now() - begun) / 2;
}

void note(ServiceUse& use, const std::string& why) {
  if (use.why_none.empty()) use.why_none = why;
}

const ObservedService& found_service(const Verification& found, const std::string& name) {
  const ObservedService* service = found.now.find_service(name);
  if (service == nullptr) {
    throw Error(ErrorCode::not_found, "the policy in force has no service \"" + name + '"');
  }
  return *service;
}

// Where its lines and its traffic are counted: its monitoring group, if it shares its class with others.
std::string counted_group(const Plan& plan, const std::string& service) {
  for (const ControlGroup& group : plan.groups) {
    if (std::find(group.services.begin(), group.services.end(), service) == group.services.end()) continue;
    for (const MonitoringGroup& monitoring : group.monitoring) {
      if (monitoring.service == service) return in_group(group.name, "mon_groups/" + monitoring.name);
    }
    return group.name;
  }
  return {};
}

}  // namespace

LiveExperimentHost::LiveExperimentHost(LiveHost& host) : host_(host), processes_(host.files()) {}

StateBefore LiveExperimentHost::in_force() {
  const State state = host_.engine().state();
  StateBefore before{.policy = {state.policy_text, state.policy_file}, .attached = {}};
  for (const auto& [service, processes] : state.attached) {
    for (const auto& [process, started] : processes) before.attached[service].push_back(process);
  }
  return before;
}

std::string LiveExperimentHost::plan(const PolicySource& policy) {
  if (policy.text.empty()) return {};
  const Proposal proposal = host_.propose(policy);
  return to_json(proposal.plan, proposal.actuator, proposal.diff.waiting).dump();
}

Outcome LiveExperimentHost::enforce(const PolicySource& policy) {
  return policy.text.empty() ? host_.engine().reset() : host_.engine().apply(policy);
}

Outcome LiveExperimentHost::bring_back(const StateBefore& before) {
  Outcome outcome = enforce(before.policy);
  for (const auto& [service, processes] : before.attached) {
    std::vector<unsigned> alive = processes;
    std::erase_if(alive, [&](unsigned process) { return !processes_.started(process); });
    if (alive.empty()) continue;
    const Outcome attached = host_.engine().attach(service, alive);
    outcome.generation = attached.generation;
    outcome.steps.insert(outcome.steps.end(), attached.steps.begin(), attached.steps.end());
  }
  return outcome;
}

ServiceUse LiveExperimentHost::use_of(const std::string& service) {
  ServiceUse use;
  try {
    const Verification found = host_.engine().verify();
    const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const Clock::time_point begun = Clock::now();
    double ticks = 0;
    for (const auto& [thread, group] : found_service(found, service).thread_groups) {
      if (const auto run = processes_.run(thread, thread)) ticks += static_cast<double>(run->ticks);
    }
    use.cpu_seconds = {ticks / ticks_a_second, middle_since(begun)};
    add_counters(found, service, use);
  } catch (const Error& error) {
    note(use, error.what());
  }
  return use;
}

// Sums over all CCDs; one without data leaves no sum.
void LiveExperimentHost::add_counters(const Verification& found, const std::string& service,
                                      ServiceUse& use) {
  if (!counters_) counters_ = host_.counter_source();
  if (!counters_) return note(use, host_.lack_of_counters());
  counters_->follow(counted_groups(&found, host_.machine()));
  counters_->rescan();
  const CounterShape& shape = counters_->shape();
  const std::string path = counted_group(found.plan, service);
  const auto group = std::find_if(shape.groups.begin(), shape.groups.end(),
                                  [&](const CounterGroup& one) { return one.path == path; });
  if (group == shape.groups.end()) return note(use, "there are no counters of the group of " + service);
  std::vector<Reading> readings(shape.ccds.size());
  for (const CounterEvent event : shape.events) {
    const Clock::time_point begun = Clock::now();
    if (!counters_->read(event, static_cast<std::size_t>(group - shape.groups.begin()), readings)) {
      return note(use, "the group of " + service + " has gone");
    }
    double sum = 0;
    const auto lacking =
        std::find_if(readings.begin(), readings.end(), [](const Reading& one) { return !one.good(); });
    if (lacking != readings.end()) {
      note(use, std::string(to_string(event)) + " of " + service + " is " +
                    std::string(to_string(lacking->no_data)) + " on a CCD");
      continue;
    }
    for (const Reading& one : readings) sum += static_cast<double>(one.value);
    if (event == CounterEvent::llc_occupancy) {
      use.occupancy = sum;
    } else {
      (event == CounterEvent::mbm_total_bytes ? use.total_bytes : use.local_bytes) = {sum,
                                                                                      middle_since(begun)};
    }
  }
  const std::string lack = counters_->lack();
  note(use, lack.empty() ? "this host does not count that" : lack);
}

std::map<std::string, std::string> LiveExperimentHost::facts() {
  std::map<std::string, std::string> facts{{"machine", host_.machine().name},
                                           {"actuator", std::string(host_.engine().groups().name())}};
  for (const Fact& fact : kFacts) {
    try {
      const auto directory = host_.files().open_directory(std::string(fact.directory));
      if (!directory->exists(fact.file)) continue;
      facts[std::string(fact.name)] = first_line(directory->open(fact.file, Access::read)->read());
    } catch (const Error&) {
      // What this host does not tell cannot be compared.
    }
  }
  return facts;
}

}  // namespace bulkhead
