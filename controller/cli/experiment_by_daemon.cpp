// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/experiment_by_daemon.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/cli/experiment_progress.h"
#include "controller/cli/held_signals.h"
#include "controller/experiment/result_json.h"
#include "policies/experiment_reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kBetweenSignals{100};
constexpr unsigned kQuietUntilAsked = 20;  // times that long without an event: then how it stands is asked

// Where nothing is done in its folder the daemon need not see that: it may be one of this program's own
// mounts.
Json start_parameters(const ExperimentInput& input) {
  const bool needs_folder = require_experiment(input.source.text, input.source.file).local_deed().has_value();
  Json policies = Json::object();
  for (const auto& [path, source] : input.policies) policies[path] = source.text;
  return {{"text", input.source.text},
          {"name", input.source.file},
          {"folder", needs_folder ? input.folder : ""},
          {"policies", std::move(policies)}};
}

std::optional<double> number_in(const Json& data, const char* key) {
  const auto found = data.find(key);
  if (found == data.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

// As much of the result as the progress line shows.
class Followed {
 public:
  explicit Followed(std::string experiment) : experiment_(std::move(experiment)) {}

  bool is_about(const Json& data) const { return data.value("experiment", "") == experiment_; }

  void judge(const Json& data) {
    if (!data.contains("verdict") || !data.contains("change")) return;
    const auto name = data.at("candidate").get<std::string>();
    auto found = std::ranges::find(shown_.candidates, name, &ArmResult::arm);
    if (found == shown_.candidates.end()) {
      shown_.candidates.push_back({.arm = name});
      found = std::prev(shown_.candidates.end());
    }
    found->blocks = data.at("blocks").get<unsigned>();
    found->estimates = {{.change = number_in(data, "change"),
                         .low = number_in(data, "low"),
                         .high = number_in(data, "high")}};
  }

  std::string text(const Json& data) const {
    return progress_text({.result = &shown_,
                          .searches = data.at("phase") == "search",
                          .block = data.at("block").get<unsigned>(),
                          .most_blocks = data.at("most_blocks").get<unsigned>(),
                          .candidate = data.at("candidate").get<std::string>(),
                          .seconds_left = data.at("seconds_left").get<double>()});
  }

 private:
  std::string experiment_;
  ExperimentResult shown_;
};

// Events may have been lost, the last one too.
bool still_runs(Client& daemon, const std::string& experiment) {
  const Json status = daemon.call("experiment.status", Json::object());
  return status.at("experiment") == experiment;
}

void follow(Client& daemon, const std::string& experiment, ProgressLine& line) {
  Followed followed(experiment);
  unsigned quiet = 0;
  bool asked_to_end = false;
  for (;;) {
    if (!asked_to_end && HeldSignals::is_asked_to_end()) {
      asked_to_end = true;
      line.show("ending the experiment: what was in force before it returns");
      daemon.call("experiment.stop", Json::object());
    }
    const auto event = daemon.next_event(kBetweenSignals);
    if (!event) {
      if (++quiet % kQuietUntilAsked == 0 && !still_runs(daemon, experiment)) return;
      continue;
    }
    quiet = 0;
    const Json& data = event->at("data");
    if (event->at("kind") == "lost" && !still_runs(daemon, experiment)) return;
    if (!followed.is_about(data)) continue;
    if (event->at("kind") == "experiment.ended") return;
    if (event->at("kind") == "experiment.block") followed.judge(data);
    if (!asked_to_end) line.show(followed.text(data));
  }
}

}  // namespace

std::optional<ExperimentResult> latest_result(Client& daemon) {
  try {
    return parse_result(daemon.call("experiment.result", Json::object()).dump(), "the daemon's result");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) throw;
    return std::nullopt;
  }
}

ExperimentResult run_by_daemon(Client& daemon, const ExperimentInput& input, ProgressLine& line) {
  const Json kinds{"experiment.window", "experiment.block", "experiment.ended"};
  daemon.call("events.subscribe", {{"kinds", kinds}});
  const Json started = daemon.call("experiment.start", start_parameters(input));
  follow(daemon, started.at("experiment").get<std::string>(), line);
  auto result = latest_result(daemon);
  if (!result) throw Error(ErrorCode::refused, "the daemon has no result of the experiment");
  return *std::move(result);
}

}  // namespace bulkhead
