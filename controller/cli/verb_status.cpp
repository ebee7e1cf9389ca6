// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/base/text.h"
#include "controller/cli/effect_now.h"
#include "controller/cli/json_text.h"
#include "controller/cli/live_host.h"
#include "controller/cli/table.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

struct Status {
  State state;
  Verification found;

  bool waiting(const std::string& service) const {
    return std::find(found.waiting.begin(), found.waiting.end(), service) != found.waiting.end();
  }
  EffectNow now(const ServiceEffect& service) const {
    return effect_now(service, found.plan, found.now, found.capabilities);
  }
};

std::string group_of(const ServiceEffect& service) {
  return service.group.empty() ? "(default)" : service.group;
}

// Threads are counted where the service has cgroups or processes of its own; "others" has not.
std::string threads_text(const Status& status, const std::string& service, std::size_t threads) {
  if (status.waiting(service)) return "waiting";
  const ObservedService* observed = status.found.now.find_service(service);
  const bool own = observed != nullptr && (!observed->cgroups.empty() || !observed->processes.empty());
  return own ? std::to_string(threads) : "-";
}

std::string text_of(const Status& status, const Style& style) {
  const std::size_t drift = status.found.findings.size();
  std::string text = "policy    " + paint(style, Paint::bold, status.found.policy) + '\n';
  text += "file      " + status.state.policy_file + '\n';
  text += "since     " + status.state.applied_at + ", generation " + std::to_string(status.state.generation) +
          '\n';
  text += "drift     " +
          (drift == 0 ? paint(style, Paint::good, "none")
                      : paint(style, Paint::bad, counted(drift, "finding") + ", see bulkhead verify"));
  text += '\n';
  if (status.found.plan.services.empty()) return text;
  text += '\n';
  Table table({"service", "group", "CPUs", "L3", "bandwidth", "threads"});
  for (const ServiceEffect& service : status.found.plan.services) {
    const EffectNow now = status.now(service);
    const auto or_dash = [](const std::string& word) { return word.empty() ? std::string("-") : word; };
    table.add({service.service, group_of(service), or_dash(now.cpus), or_dash(now.l3), or_dash(now.bandwidth),
               threads_text(status, service.service, now.threads)});
  }
  return text + table.draw(style);
}

Json to_json(const Status& status) {
  Json services = Json::array();
  for (const ServiceEffect& service : status.found.plan.services) {
    const EffectNow now = status.now(service);
    Json ccds = Json::array();
    for (const CacheId ccd : service.ccds) ccds.push_back(ccd.value);
    services.push_back({{"service", service.service},
                        {"group", service.group},
                        {"cpus", service.cpus.to_list()},
                        {"ccds", ccds},
                        {"effective", {{"cpus", now.cpus}, {"l3", now.l3}, {"bandwidth", now.bandwidth}}},
                        {"threads", now.threads},
                        {"waiting", status.waiting(service.service)}});
  }
  return {{"policy", status.found.policy},         {"file", status.state.policy_file},
          {"generation", status.state.generation}, {"since", status.state.applied_at},
          {"drift", status.found.findings.size()}, {"services", services}};
}

std::string nothing_in_force(const std::vector<std::string>& leftovers, const Style& style) {
  std::string text = "no policy is in force\n";
  if (leftovers.empty()) return text;
  const std::string note =
      "but these are ours, and nothing remembers any more what they belong to: " + join(leftovers, ", ") +
      ". bulkhead reset removes them; CPUs and ways that were taken from others stay "
      "as they are, for an operator to give back";
  return text + wrapped(note, style.width, "") + '\n';
}

}  // namespace

int run_status(Call& call) {
  LiveHost host(call.options);
  host.finish_interrupted(call.console, true);
  Status status{.state = host.engine().state()};
  if (status.state.policy_text.empty()) {
    const std::vector<std::string> leftovers = host.engine().leftovers();
    call.console.out += call.options.json ? json_text({{"policy", nullptr}, {"leftovers", leftovers}})
                                          : nothing_in_force(leftovers, call.style());
    return 0;
  }
  status.found = host.engine().verify();
  call.console.out += call.options.json ? json_text(to_json(status)) : text_of(status, call.style());
  return 0;
}

}  // namespace bulkhead
