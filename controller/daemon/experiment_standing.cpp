// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/experiment_standing.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/experiment/result_json.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStateWords[] = {"none", "starting", "running", "ending", "elsewhere"};

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

const char* phase_word(bool searches) {
  return searches ? "search" : "comparison";
}

Json progress_json(const RunProgress& progress) {
  return {{"experiment", progress.result->name},
          {"phase", phase_word(progress.searches)},
          {"block", progress.block},
          {"most_blocks", progress.most_blocks},
          {"candidate", progress.candidate},
          {"arm", progress.arm},
          {"seconds_left", progress.seconds_left}};
}

}  // namespace

Json standing_json(const ExperimentStanding& standing) {
  if (standing.state == ExperimentState::none) return {{"experiment", nullptr}};
  Json json{{"experiment", standing.name},
            {"state", kStateWords[static_cast<int>(standing.state)]},
            {"file", standing.file},
            {"uid", standing.by.uid ? Json(*standing.by.uid) : Json()},
            {"arm", standing.arm},
            {"candidate", standing.candidate},
            {"phase", phase_word(standing.searches)},
            {"block", standing.block},
            {"most_blocks", standing.most_blocks},
            {"seconds_left", standing.seconds_left}};
  if (!standing.trouble.empty()) json["trouble"] = standing.trouble;
  return json;
}

// What could not be measured is null, and says why.
Json window_json(const RunProgress& progress) {
  Json json = progress_json(progress);
  const WindowRecord& window = *progress.window;
  json["place"] = window.place;
  Json metrics = Json::object();
  Json lacks = Json::object();
  for (std::size_t index = 0; index < window.metrics.size(); ++index) {
    const std::string& name = progress.result->metrics[index];
    metrics[name] = or_null(window.metrics[index].value);
    if (!window.metrics[index].value) lacks[name] = window.metrics[index].why_none;
  }
  json["metrics"] = std::move(metrics);
  json["no_data"] = std::move(lacks);
  return json;
}

// The block that has ended, and its candidate's primary metric so far.
Json block_json(const RunProgress& progress) {
  Json json = progress_json(progress);
  json.erase("arm");
  const std::string& dropped = progress.ended->dropped;
  json["dropped"] = dropped.empty() ? Json() : Json(dropped);
  if (progress.searches) {
    const Evaluation& evaluation = progress.result->search->evaluations.back();
    json["point"] = evaluation.point;
    json["change"] = or_null(evaluation.change);
    json["latency"] = or_null(evaluation.latency);
    return json;
  }
  const auto& candidates = progress.result->candidates;
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const ArmResult& candidate) {
    return candidate.arm == progress.candidate;
  });
  if (found == candidates.end()) return json;
  json["verdict"] = to_string(found->verdict);
  json["blocks"] = found->blocks;
  if (found->estimates.empty() || found->blocks == 0) return json;
  const Estimate& primary = found->estimates.front();
  json["change"] = or_null(primary.change);
  json["low"] = or_null(primary.low);
  json["high"] = or_null(primary.high);
  return json;
}

Json ended_json(const ExperimentResult& result) {
  return {{"experiment", result.name},
          {"ended_by", result.ended_by},
          {"verdict", result.verdict.empty() ? Json() : Json(result.verdict)}};
}

}  // namespace bulkhead
