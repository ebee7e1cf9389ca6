// SPDX-License-Identifier: Apache-2.0
#include "policies/experiment_reader.h"

#include <utility>

#include "policies/arm_reader.h"
#include "policies/experiment_checks.h"
#include "policies/experiment_keywords.h"
#include "policies/experiment_parts_reader.h"
#include "policies/metric_reader.h"
#include "policies/quote.h"
#include "policies/reader.h"
#include "policies/search_reader.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;
using Draft = ExperimentDraft;
using std::chrono::milliseconds;

constexpr milliseconds kShortestWindow{100};
// The largest whole number that every reader of JSON keeps.
constexpr std::uint64_t kLargestSeed = (std::uint64_t{1} << 53) - 1;

constexpr Word<OnRestart> kOnRestart[] = {{"restore", OnRestart::restore}, {"resume", OnRestart::resume}};

void read_version(Problems& problems, const JsonValue& value, const Keyword&, Draft&) {
  if (value.text != "1")
    problems.add(value.place(), Problem::unknown_experiment_version, {shortened(value.text)});
}

void read_name(Problems& problems, const JsonValue& value, const Keyword&, Draft& draft) {
  if (!is_name(value.text)) problems.add(value.place(), Problem::wrong_name, {in_quotes(value.text)});
  draft.experiment.name = value.text;
}

void read_arms(Problems& problems, const JsonValue& value, const Keyword&, Draft& draft) {
  draft.arms = value.place();
  for (const JsonValue* arm : value.children) draft.experiment.arms.push_back(read_arm(problems, *arm));
}

void read_metrics(Problems& problems, const JsonValue& value, const Keyword& keyword, Draft& draft) {
  if (value.children.empty()) return refuse(problems, value, keyword);
  for (const JsonValue* metric : value.children) draft.metrics.push_back(read_metric(problems, *metric));
}

void read_washout(Problems& problems, const JsonValue& value, const Keyword& keyword, Draft& draft) {
  if (value.text != "auto") {
    draft.experiment.washout = read_time(problems, value, keyword, milliseconds::zero());
  }
}

void read_confidence(Problems& problems, const JsonValue& value, const Keyword& keyword, Draft& draft) {
  const auto read = read_percent(problems, value, keyword, Percent{5'000}, Percent{9'999});
  draft.experiment.confidence = read.value_or(draft.experiment.confidence);
}

void read_seed(Problems& problems, const JsonValue& value, const Keyword& keyword, Draft& draft) {
  const auto seed = read_whole(problems, value, keyword, 0, kLargestSeed);
  draft.experiment.seed = seed.value_or(0);
  draft.experiment.seed_given = true;
}

constexpr Field<Draft> kExperimentFields[] = {
    {"$schema", [](Problems&, const JsonValue&, const Keyword&, Draft&) {}},
    {"experiment", read_version},
    {"name", read_name},
    {"summary", [](Problems&, const JsonValue& value, const Keyword&,
                   Draft& draft) { draft.experiment.summary = value.text; }},
    {"arms", read_arms},
    {"control",
     [](Problems&, const JsonValue& value, const Keyword&, Draft& draft) {
       draft.experiment.control = value.text;
       draft.control = value.place();
     }},
    {"search", [](Problems& problems, const JsonValue& value, const Keyword&,
                  Draft& draft) { read_search(problems, value, draft.experiment.search.emplace()); }},
    {"metrics", read_metrics},
    {"primary", read_primary},
    {"guards", [](Problems& problems, const JsonValue& value, const Keyword&,
                  Draft& draft) { read_guards(problems, value, draft.experiment.guards); }},
    {"limits", [](Problems& problems, const JsonValue& value, const Keyword&,
                  Draft& draft) { read_limits(problems, value, draft.experiment.limits); }},
    {"load_bands", [](Problems& problems, const JsonValue& value, const Keyword&,
                      Draft& draft) { read_load_bands(problems, value, draft.experiment.bands.emplace()); }},
    {"window",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Draft& draft) {
       const auto window = read_time(problems, value, keyword, kShortestWindow);
       draft.experiment.window = window.value_or(draft.experiment.window);
     }},
    {"washout", read_washout},
    {"blocks", [](Problems& problems, const JsonValue& value, const Keyword&,
                  Draft& draft) { read_blocks(problems, value, draft.experiment); }},
    {"confidence", read_confidence},
    {"seed", read_seed},
    {"on_restart",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Draft& draft) {
       draft.experiment.on_restart =
           read_word(problems, value, keyword, kOnRestart).value_or(OnRestart::restore);
     }},
};

constexpr Keyword kWholeExperiment{
    "",
    Accepts::object,
    Presence::required,
    "an experiment",
    R"({"experiment": 1, "name": ..., "arms": {...}, "control": ..., "metrics": {...}, "primary": ...})",
    ""};

Experiment read_experiment_root(Problems& problems, const JsonValue& root) {
  if (!check_type(problems, root, kWholeExperiment)) return {};
  if (root.find("bulkhead") != nullptr && root.find("experiment") == nullptr) {
    problems.add(root.place(), Problem::policy_here);
    return {};
  }
  Draft draft;
  read_members<Draft>(problems, root, kExperimentTable, kExperimentFields, draft);
  check_together(problems, draft);
  for (MetricDraft& metric : draft.metrics) draft.experiment.metrics.push_back(std::move(metric.want));
  return std::move(draft.experiment);
}

}  // namespace

ExperimentReading read_experiment(std::string_view text) {
  Problems problems;
  ExperimentReading reading;
  const JsonDocument document = parse_document(text, problems, Problem::no_experiment_there);
  if (document.root() != nullptr) reading.experiment = read_experiment_root(problems, *document.root());
  if (!problems.empty()) reading.experiment.reset();
  reading.diagnostics = problems.take();
  return reading;
}

std::vector<Diagnostic> check_arms_with(const std::map<std::string, std::string>& policies,
                                        const Experiment& experiment) {
  Problems problems;
  check_difference(problems, experiment.arms, [&](const std::string& policy) {
    const auto found = policies.find(policy);
    return found == policies.end() ? policy : found->second;  // a text is longer than any name of a file
  });
  return problems.take();
}

Experiment require_experiment(std::string_view text, const std::string& file) {
  ExperimentReading reading = read_experiment(text);
  if (reading.experiment) return std::move(*reading.experiment);
  throw as_error(file, reading.diagnostics);
}

}  // namespace bulkhead
