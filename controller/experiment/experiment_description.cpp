// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/experiment_description.h"

#include <map>
#include <random>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/experiment/fingerprint.h"
#include "policies/experiment_reader.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

std::string words_of(const std::optional<Command>& command) {
  return command ? join(command->words, " ") : "";
}

std::uint64_t drawn_seed() {
  std::random_device device;
  return device();
}

double share_of(const Percent& percent) {
  return percent.hundredths / 10'000.0;
}

}  // namespace

ArmDescription describe(const ArmWant& arm, const PolicySource& policy, ExperimentHost& host) {
  ArmDescription description{.name = arm.name,
                             .policy = arm.policy.value_or(""),
                             .on_enter = words_of(arm.on_enter),
                             .on_leave = words_of(arm.on_leave)};
  if (!arm.policy) return description;
  description.fingerprint = fingerprint_of(policy.text);
  description.summary = require_policy(policy.text, policy.file).summary;
  try {
    description.plan = host.plan(policy);
  } catch (Error& error) {
    error.add_context("planning arm " + arm.name);
    throw;
  }
  return description;
}

ExperimentResult describe(const Experiment& experiment, const ExperimentInput& input, ExperimentHost& host) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, policy] : input.policies) texts[name] = policy.text;
  if (const auto wrong = check_arms_with(texts, experiment); !wrong.empty())
    throw as_error(input.source.file, wrong);
  ExperimentResult result;
  for (const ArmWant& arm : experiment.arms) {
    result.arms.push_back(describe(arm, policy_of(input, arm), host));
  }
  result.name = experiment.name;
  result.summary = experiment.summary;
  result.file = input.source.file;
  result.fingerprint = fingerprint_of(input.source.text);
  result.version = BULKHEAD_VERSION;
  result.seed = experiment.seed_given ? experiment.seed : drawn_seed();
  result.confidence = share_of(experiment.confidence);
  result.smallest_effect = share_of(experiment.smallest_effect);
  result.control = experiment.control;
  result.primary = experiment.primary;
  for (const MetricWant& metric : experiment.metrics) {
    result.metrics.push_back(metric.name);
    result.higher_is_better.push_back(metric.better == Better::higher);
  }
  for (const Guard& guard : experiment.guards)
    result.guards.emplace_back(guard.metric, share_of(guard.margin));
  if (const auto& search = experiment.search) {
    result.search = SearchResult{.policy = search->policy,
                                 .service = search->service,
                                 .latency = search->latency,
                                 .latency_limit = search->latency_limit};
  }
  return result;
}

}  // namespace bulkhead
