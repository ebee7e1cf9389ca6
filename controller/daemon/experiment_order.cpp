// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/experiment_order.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "controller/base/error.h"
#include "policies/experiment_reader.h"
#include "policies/quote.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

constexpr std::string_view kHttp = "http://";

// What of it root would do on this host, for whoever asked; nothing where it only reads pages over HTTP.
std::optional<std::string> deed_of_root(const Experiment& experiment) {
  for (const ArmWant& arm : experiment.arms) {
    if (arm.on_enter || arm.on_leave) return "arm " + in_quotes(arm.name) + " runs a command";
  }
  for (const MetricWant& metric : experiment.metrics) {
    if (std::holds_alternative<CommandSource>(metric.source))
      return "metric " + in_quotes(metric.name) + " runs a command";
    const auto* page = std::get_if<PageSource>(&metric.source);
    if (page != nullptr && !page->page.starts_with(kHttp))
      return "metric " + in_quotes(metric.name) + " reads a file";
  }
  return std::nullopt;
}

void require_root(const Experiment& experiment, unsigned uid) {
  const auto deed = deed_of_root(experiment);
  if (uid == 0 || !deed) return;
  throw Error(ErrorCode::permission, *deed + ", and the daemon does so as root: only root may start that");
}

void require_folder(const Experiment& experiment, const std::string& folder) {
  if (folder.starts_with('/')) return;
  if (const auto deed = deed_of_root(experiment))
    throw Error(ErrorCode::invalid, *deed + ": \"folder\" says where, and must be an absolute path");
  if (!folder.empty())
    throw Error(ErrorCode::invalid, "\"folder\" must be an absolute path, not " + in_quotes(folder));
}

void require_all_policies(const Experiment& experiment, const ExperimentInput& input) {
  const std::vector<Experiment::PolicyName> named = experiment.policies();
  for (const Experiment::PolicyName& policy : named) {
    if (input.policies.contains(policy.file)) continue;
    throw Error(ErrorCode::invalid,
                "\"policies\" lacks " + in_quotes(policy.file) + ", the policy of " + policy.by);
  }
  for (const auto& [path, source] : input.policies) {
    if (std::ranges::find(named, path, &Experiment::PolicyName::file) == named.end())
      throw Error(ErrorCode::invalid, "\"policies\" has " + in_quotes(path) + ", which no arm names");
    require_policy(source.text, source.file);
  }
}

}  // namespace

ExperimentInput experiment_order(const nlohmann::json& parameters, unsigned uid) {
  ExperimentInput input{.source = {parameters.at("text").get<std::string>(),
                                   parameters.value("name", std::string("experiment"))},
                        .folder = parameters.value("folder", std::string()),
                        .policies = {}};
  for (const auto& [path, text] : parameters.at("policies").items())
    input.policies[path] = {text.get<std::string>(), path};
  const Experiment experiment = require_experiment(input.source.text, input.source.file);
  require_root(experiment, uid);
  require_folder(experiment, input.folder);
  require_all_policies(experiment, input);
  return input;
}

}  // namespace bulkhead
