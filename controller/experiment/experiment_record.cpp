// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/experiment_record.h"

#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/experiment/child_process.h"
#include "controller/experiment/result_json.h"
#include "policies/experiment_reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecord = "experiment.json";
constexpr const char* kProgress = "experiment-progress.json";
constexpr const char* kLock = "experiment.lock";
constexpr int kVersion = 1;

Json to_json(const PolicySource& source) {
  return {{"text", source.text}, {"file", source.file}};
}

PolicySource source_of(const Json& json) {
  return {json.at("text").get<std::string>(), json.at("file").get<std::string>()};
}

RunningExperiment running_of(const Json& json) {
  RunningExperiment running{
      .input = {.source = source_of(json.at("source")),
                .folder = json.at("folder").get<std::string>(),
                .policies = {}},
      .before = {.policy = source_of(json.at("before")),
                 .attached = json.at("attached").get<decltype(StateBefore::attached)>()},
      .arm = json.at("arm").get<std::string>(),
      .on_restart = json.at("resume").get<bool>() ? OnRestart::resume : OnRestart::restore};
  for (const auto& [name, source] : json.at("policies").items()) {
    running.input.policies[name] = source_of(source);
  }
  return running;
}

}  // namespace

PolicySource policy_of(const ExperimentInput& input, const ArmWant& arm) {
  return arm.policy ? input.policies.at(*arm.policy) : PolicySource{};
}

void ExperimentRecord::lock() {
  lock_ = store_.lock(0, kLock);
}

void ExperimentRecord::write(const RunningExperiment& running) {
  Json policies = Json::object();
  for (const auto& [name, source] : running.input.policies) policies[name] = to_json(source);
  const Json json{{"bulkhead_experiment", kVersion},
                  {"arm", running.arm},
                  {"resume", running.on_restart == OnRestart::resume},
                  {"folder", running.input.folder},
                  {"source", to_json(running.input.source)},
                  {"policies", std::move(policies)},
                  {"before", to_json(running.before.policy)},
                  {"attached", running.before.attached}};
  store_.replace(kRecord, json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void ExperimentRecord::write_progress(const ExperimentResult& result) {
  store_.replace(kProgress, result_text(result) + '\n');
}

void ExperimentRecord::remove() {
  store_.remove(kRecord);
  store_.remove(kProgress);
}

std::optional<RunningExperiment> ExperimentRecord::read() const {
  const auto text = store_.read(kRecord);
  if (!text) return std::nullopt;
  try {
    const Json json = Json::parse(*text);
    if (json.at("bulkhead_experiment") == kVersion) return running_of(json);
  } catch (const nlohmann::json::exception&) {
    // The same as one of another version.
  }
  throw Error(ErrorDetail{.code = ErrorCode::refused,
                          .message =
                              "an experiment was running, but its record makes no sense: what was in force "
                              "before it is not known (remove the file, and apply the policy that is wanted)",
                          .path = store_.directory() + '/' + kRecord});
}

std::optional<ExperimentResult> ExperimentRecord::read_progress() const {
  const auto text = store_.read(kProgress);
  if (!text) return std::nullopt;
  return parse_result(*text, store_.directory() + '/' + kProgress);
}

bool ExperimentRecord::is_there(const Store& store) {
  return store.read(kRecord).has_value();
}

void ExperimentRecord::require_none(Store& store) {
  const auto running = ExperimentRecord(store).read();
  if (!running) return;
  const PolicySource& source = running->input.source;
  throw Error(ErrorCode::conflict, "the experiment " + require_experiment(source.text, source.file).name +
                                       " has this host until it ends: wait, or end it first");
}

namespace {

// What its last arm had in the way of on_leave's failure, if any: what was in force returns all the same.
std::optional<Error> bring_back(const RunningExperiment& running, ExperimentHost& host) {
  const Experiment experiment = require_experiment(running.input.source.text, running.input.source.file);
  const ArmWant* arm = experiment.find_arm(running.arm);
  std::optional<Error> failure;
  if (arm != nullptr && arm->on_leave) {
    try {
      run_command(arm->on_leave->words, running.input.folder, arm->on_leave->time_limit);
    } catch (const Error& error) {
      failure = error;
      failure->add_context("leaving arm " + running.arm + "; what was in force before is in force again");
    }
  }
  host.restore(running.before);
  return failure;
}

}  // namespace

void end_experiment(ExperimentRecord& record, const RunningExperiment& running, ExperimentHost& host) {
  const std::optional<Error> failure = bring_back(running, host);
  record.remove();
  if (failure) throw Error(*failure);
}

void suspend_experiment(ExperimentRecord& record, RunningExperiment running, ExperimentHost& host) {
  const std::optional<Error> failure = bring_back(running, host);
  running.arm.clear();
  record.write(running);
  if (failure) throw Error(*failure);
}

std::optional<std::string> end_interrupted_experiment(Store& store, ExperimentHost& host) {
  if (!store.read(kRecord)) return std::nullopt;
  ExperimentRecord record(store);
  try {
    record.lock();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::conflict) return std::nullopt;  // it runs
    throw;
  }
  const auto running = record.read();
  if (!running) return std::nullopt;  // its runner has just ended it
  end_experiment(record, *running, host);
  return require_experiment(running->input.source.text, running->input.source.file).name;
}

}  // namespace bulkhead
