// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/documents.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/engine/effect_now.h"
#include "controller/engine/step_json.h"
#include "controller/planner/plan_json.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null_of(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

// Threads are counted where a service has cgroups or processes of its own; "others" has not.
Json threads_of(const Verification& found, const ServiceEffect& service, std::size_t threads) {
  const ObservedService* observed = found.now.find_service(service.service);
  const bool own = observed != nullptr && (!observed->cgroups.empty() || !observed->processes.empty());
  return own ? Json(threads) : Json();
}

Json service_json(const ServiceEffect& service, const Verification& found) {
  const EffectNow now = effect_now(service, found.plan, found.now, found.capabilities);
  Json ccds = Json::array();
  for (const CacheId ccd : service.ccds) ccds.push_back(ccd.value);
  const bool waiting =
      std::find(found.waiting.begin(), found.waiting.end(), service.service) != found.waiting.end();
  return {{"service", service.service},
          {"group", service.group},
          {"cpus", service.cpus.to_list()},
          {"ccds", ccds},
          {"effective", {{"cpus", now.cpus}, {"l3", now.l3}, {"bandwidth", now.bandwidth}}},
          {"threads", threads_of(found, service, now.threads)},
          {"waiting", waiting}};
}

// What was looked at, so that "holds" says what of.
Json extent_json(const Verification& result) {
  std::size_t threads = 0;
  for (const ObservedService& service : result.now.services) threads += service.thread_groups.size();
  return {{"groups", result.plan.groups.size()},
          {"ccds", result.ccds},
          {"cpusets", result.plan.cpusets.size()},
          {"threads", threads},
          {"services", result.plan.services.size()}};
}

}  // namespace

Json steps_json(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps) {
    Json entry = to_json(step);
    entry["description"] = describe(step);
    list.push_back(std::move(entry));
  }
  return list;
}

Json proposal_json(const Proposal& proposal) {
  Json document = to_json(proposal.plan, proposal.actuator, proposal.diff.waiting);
  document["steps"] = steps_json(proposal.diff.steps);
  return document;
}

Json applied_json(const Outcome& outcome, const Proposal* proposal) {
  Json plan;
  if (proposal != nullptr) plan = to_json(proposal->plan, proposal->actuator, proposal->diff.waiting);
  return {{"policy", outcome.policy},
          {"generation", outcome.generation},
          {"changed", !outcome.steps.empty()},
          {"steps", steps_json(outcome.steps)},
          {"waiting", outcome.waiting},
          {"notes", outcome.notes},
          {"plan", std::move(plan)}};
}

Json reset_json(const Outcome& outcome) {
  return {{"changed", !outcome.steps.empty()},
          {"generation", outcome.generation},
          {"steps", steps_json(outcome.steps)},
          {"notes", outcome.notes}};
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"kind", finding.kind},
                    {"service", text_or_null_of(finding.service)},
                    {"ccd", finding.ccd ? Json(finding.ccd->value) : Json()},
                    {"expected", finding.expected},
                    {"observed", finding.observed},
                    {"message", finding.message}});
  }
  return list;
}

Json verification_json(const Verification& result) {
  return {{"holds", result.findings.empty()},
          {"policy", result.policy},
          {"findings", findings_json(result.findings)},
          {"waiting", result.waiting},
          {"looked_at", extent_json(result)}};
}

Json status_json(const State& state, const Verification& found) {
  Json services = Json::array();
  for (const ServiceEffect& service : found.plan.services) services.push_back(service_json(service, found));
  return {{"policy", found.policy},    {"file", state.policy_file},      {"generation", state.generation},
          {"since", state.applied_at}, {"drift", found.findings.size()}, {"services", services}};
}

Json no_status_json(const std::vector<std::string>& leftovers) {
  return {{"policy", nullptr}, {"leftovers", leftovers}};
}

}  // namespace bulkhead
