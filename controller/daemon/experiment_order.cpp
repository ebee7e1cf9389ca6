// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/experiment_order.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "controller/base/error.h"
#include "policies/experiment_reader.h"
#include "policies/quote.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

void require_root(const Experiment& experiment, unsigned uid) {
  const auto deed = experiment.local_deed();
  if (uid == 0 || !deed) return;
  throw Error(ErrorCode::permission, *deed + ", and the daemon does so as root: only root may start that");
}

// Only what root starts is done in it: to whom else it is not told which folders are there.
void require_folder(const Experiment& experiment, const std::string& folder, unsigned uid) {
  const auto deed = experiment.local_deed();
  if (deed && !folder.starts_with('/'))
    throw Error(ErrorCode::invalid, *deed + ": \"folder\" says where, and must be an absolute path");
  if (folder.empty()) return;
  if (!folder.starts_with('/'))
    throw Error(ErrorCode::invalid, "\"folder\" must be an absolute path, not " + in_quotes(folder));
  std::error_code ignored;
  if (uid == 0 && !std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::not_found, "\"folder\" is no folder that is there: " + in_quotes(folder));
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
  require_folder(experiment, input.folder, uid);
  require_all_policies(experiment, input);
  return input;
}

}  // namespace bulkhead
