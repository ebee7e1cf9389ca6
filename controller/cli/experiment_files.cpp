// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_files.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "controller/base/error.h"
#include "controller/cli/document.h"
#include "controller/experiment/search_policy.h"
#include "policies/experiment_reader.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

void read_policies(ExperimentFiles& files) {
  const auto folder = std::filesystem::path(files.source.file).parent_path();
  for (const Experiment::PolicyName& named : files.experiment->policies()) {
    if (std::ranges::find(files.policies, named.file, &PolicyFile::path) != files.policies.end()) continue;
    try {
      PolicySource source = read_document((folder / named.file).string());
      PolicyReading reading = read_policy(source.text);
      files.policies.push_back({named.file, std::move(source), std::move(reading)});
    } catch (const Error& error) {
      files.diagnostics.push_back({named.place, printable(error.what())});
    }
  }
}

bool has_service(const Policy& policy, const std::string& name) {
  return std::ranges::find(policy.services, name, &Service::name) != policy.services.end();
}

void check_services(ExperimentFiles& files) {
  for (const MetricWant& metric : files.experiment->metrics) {
    const auto* counter = std::get_if<ServiceCounterSource>(&metric.source);
    if (counter == nullptr) continue;
    for (const PolicyFile& file : files.policies) {
      if (!file.reading.policy || has_service(*file.reading.policy, counter->service)) continue;
      files.diagnostics.push_back({metric.place, "the policy " + printable(file.source.file) +
                                                     " has no service " + in_quotes(counter->service)});
    }
  }
}

void check_arms(ExperimentFiles& files) {
  std::map<std::string, std::string> texts;
  for (const PolicyFile& file : files.policies) texts[file.path] = file.source.text;
  for (Diagnostic& diagnostic : check_arms_with(texts, *files.experiment))
    files.diagnostics.push_back(std::move(diagnostic));
}

// Whether the policy of a search has room for what is varied in it.
void check_template(ExperimentFiles& files) {
  const auto& search = files.experiment->search;
  if (!search) return;
  const auto file = std::ranges::find(files.policies, search->policy, &PolicyFile::path);
  if (file == files.policies.end() || !file->reading.policy) return;
  try {
    policy_at(file->source.text, file->source.file, search->service, SearchSpace(search->ranges).point(0));
  } catch (const Error& error) {
    files.diagnostics.push_back({search->service_place, printable(error.what())});
  }
}

}  // namespace

bool ExperimentFiles::right() const {
  const auto wrong = [](const PolicyFile& file) { return !file.reading.policy; };
  return diagnostics.empty() && std::ranges::none_of(policies, wrong);
}

ExperimentFiles read_experiment_files(PolicySource source) {
  ExperimentReading reading = read_experiment(source.text);
  ExperimentFiles files{.source = std::move(source),
                        .experiment = std::move(reading.experiment),
                        .diagnostics = std::move(reading.diagnostics),
                        .policies = {}};
  if (!files.experiment) return files;
  read_policies(files);
  check_services(files);
  check_arms(files);
  check_template(files);
  std::ranges::stable_sort(files.diagnostics, {}, [](const Diagnostic& diagnostic) {
    return std::pair(diagnostic.place.line, diagnostic.place.column);
  });
  return files;
}

}  // namespace bulkhead
