// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/cli/document.h"
#include "controller/cli/experiment_by_daemon.h"
#include "controller/cli/experiment_files.h"
#include "controller/cli/experiment_progress.h"
#include "controller/cli/experiment_report.h"
#include "controller/cli/experiment_results.h"
#include "controller/cli/experiment_schedule.h"
#include "controller/cli/held_signals.h"
#include "controller/cli/json_text.h"
#include "controller/cli/progress_line.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/transaction_run.h"
#include "controller/experiment/experiment_description.h"
#include "controller/experiment/live_experiment_host.h"
#include "controller/experiment/result_json.h"
#include "controller/experiment/runner.h"
#include "policies/experiment_reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

ExperimentInput require_input(const std::string& name) {
  ExperimentFiles files = read_experiment_files(read_document(name));
  if (!files.diagnostics.empty()) throw as_error(files.source.file, files.diagnostics);
  for (const PolicyFile& file : files.policies) {
    if (!file.reading.policy) throw as_error(file.source.file, file.reading.diagnostics);
  }
  const auto folder = std::filesystem::absolute(std::filesystem::path(files.source.file)).parent_path();
  ExperimentInput input{.source = files.source, .folder = folder.lexically_normal().string(), .policies = {}};
  for (const PolicyFile& file : files.policies) input.policies[file.path] = file.source;
  return input;
}

void require_file(const Call& call) {
  if (call.arguments.size() == 2) return;
  throw Error(ErrorCode::usage, "experiment " + call.arguments.front() + " takes a FILE");
}

void require_no_file(const Call& call) {
  if (call.arguments.size() == 1) return;
  throw Error(ErrorCode::usage,
              "experiment " + call.arguments.front() + " takes no FILE: it is about the one that runs");
}

// What went wrong is told with how the host is left.
int tell_failures(const Console& console, const ExperimentResult& result, const WrittenResults& written) {
  const bool failed = result.ended_by == "failed";
  if (failed) console.notice("the experiment failed: " + result.failure);
  if (!written.trouble.empty() || failed) {
    console.notice(console.happened + (written.trouble.empty() ? "" : ", but " + written.trouble));
    return exit_status(ErrorCode::refused);
  }
  return 0;
}

RunnerSeams seams_of(ProgressLine& line) {
  RunnerSeams seams;
  seams.is_asked_to_end = &HeldSignals::is_asked_to_end;
  seams.tell = [&line](const RunProgress& progress) {
    using At = RunProgress::Step;
    if (progress.step != At::begun && progress.step != At::ended) line.show(progress_text(progress));
  };
  return seams;
}

// Signals are held before the line has a thread, which would have them otherwise.
ExperimentResult run_here(Call& call, const std::string& doing, const ExperimentInput& input) {
  LiveHost live(live_host_options(call.options));
  finish_interrupted(live, call.console);
  LiveExperimentHost host(live);
  call.console.hold_signals();
  ProgressLine line(doing);
  return Runner(input, host, live.store(), seams_of(line)).run();
}

ExperimentResult run_there(Call& call, const std::string& doing, const ExperimentInput& input,
                           Client& daemon) {
  actuator_of(daemon, call.options.actuator);
  call.console.hold_signals();
  ProgressLine line(doing);
  return run_by_daemon(daemon, input, line);
}

// Nobody waits for a search who did not ask for one.
void require_right_act(const std::string& act, const Experiment& experiment) {
  const std::string_view right = experiment.search ? "search" : "run";
  if (act == right) return;
  throw Error(ErrorCode::usage,
              experiment.name +
                  (experiment.search ? " has a search" : " has no search, but arms to compare") +
                  ": bulkhead experiment " + std::string(right));
}

// What would keep it from beginning is told here, too: that this host cannot have one of the policies.
int show_schedule(Call& call, const ExperimentInput& input, const Experiment& experiment) {
  if (!call.options.json) call.console.out += schedule_text(experiment, call.style());
  LiveHost live(live_host_options(call.options));
  LiveExperimentHost host(live);
  const ExperimentResult described = describe(experiment, input, host);
  if (call.options.json) call.console.out += json_text(schedule_json(experiment, described));
  return 0;
}

int run_it(Call& call) {
  require_file(call);
  const ExperimentInput input = require_input(call.arguments[1]);
  const Experiment experiment = require_experiment(input.source.text, input.source.file);
  require_right_act(call.arguments.front(), experiment);
  if (!call.options.dry_run) require_consent_possible(call);
  const std::string directory = call.options.output.empty() ? "." : call.options.output;
  require_results_folder(directory);
  if (call.options.dry_run) return show_schedule(call, input, experiment);
  std::optional<Client> daemon = running_daemon(call.options);
  if (!call.options.json) call.console.out += schedule_text(experiment, call.style());
  if (!consents(call, "Run it?")) {
    call.console.notice("nothing was changed");
    return 0;
  }
  show_before_change(call);
  const std::string doing = "experiment " + experiment.name;
  const ExperimentResult result =
      daemon ? run_there(call, doing, input, *daemon) : run_here(call, doing, input);
  call.console.happened = "the experiment has ended, and what was in force before it is in force again";
  const WrittenResults written = write_results(result, directory);
  if (call.options.json) {
    call.console.out += json_text(result_json(result));
  } else {
    call.console.out += '\n' + report_text(result, call.style());
    if (!written.page.empty()) call.console.out += "\nreport: " + written.page + '\n';
    if (!written.policy.empty()) call.console.out += "policy: " + written.policy + '\n';
  }
  return tell_failures(call.console, result, written);
}

int report_it(Call& call) {
  require_file(call);
  const PolicySource source = read_document(call.arguments[1]);
  const ExperimentResult result = parse_result(source.text, source.file);
  WrittenResults written;
  if (!call.options.output.empty()) {
    require_results_folder(call.options.output);
    written = write_results(result, call.options.output);
    if (!written.page.empty()) call.console.notice("report: " + written.page);
  }
  call.console.out += call.options.json ? json_text(result_json(result)) : report_text(result, call.style());
  if (written.trouble.empty()) return 0;
  call.console.notice(written.trouble);
  return exit_status(ErrorCode::refused);
}

void show_status(Call& call, const std::string& name, const std::string& arm, const std::string& file,
                 const std::optional<ExperimentResult>& progress) {
  const bool judged = progress && !progress->blocks.empty();
  if (call.options.json) {
    call.console.out += json_text({{"experiment", name},
                                   {"arm", arm},
                                   {"file", file},
                                   {"result", judged ? result_json(*progress) : Json()}});
    return;
  }
  call.console.out += paint(call.style(), Paint::bold, name) + " runs" +
                      (arm.empty() ? "" : ", arm " + arm + " is in force") + '\n';
  call.console.out += judged ? '\n' + report_text(*progress, call.style()) : "no block has ended yet\n";
}

int show_none(Call& call) {
  call.console.out += call.options.json ? json_text({{"experiment", nullptr}}) : "no experiment runs\n";
  return 0;
}

int tell_daemons_status(Call& call, Client& daemon) {
  const Json status = daemon.call("experiment.status", Json::object());
  if (status.at("experiment").is_null()) return show_none(call);
  if (status.contains("trouble")) call.console.notice(status.at("trouble").get<std::string>());
  show_status(call, status.at("experiment").get<std::string>(), status.at("arm").get<std::string>(),
              status.at("file").get<std::string>(), latest_result(daemon));
  return 0;
}

// Of the one that runs on this host.
int tell_status(Call& call) {
  require_no_file(call);
  if (std::optional<Client> daemon = running_daemon(call.options)) return tell_daemons_status(call, *daemon);
  LiveHost live(live_host_options(call.options));
  finish_interrupted(live, call.console, true);
  const ExperimentRecord record(live.store());
  const auto running = record.read();
  if (!running) return show_none(call);
  const std::string name = require_experiment(running->input.source.text, running->input.source.file).name;
  show_status(call, name, running->arm, running->input.source.file, record.read_progress());
  return 0;
}

// Where no daemon runs, whoever runs the experiment ends it at a signal; one that nobody runs is ended by
// looking.
int stop_it(Call& call) {
  require_no_file(call);
  if (std::optional<Client> daemon = running_daemon(call.options)) {
    call.console.hold_signals();
    const Json ended = daemon->call("experiment.stop", Json::object());
    call.console.out += call.options.json
                            ? json_text(ended)
                            : ended.at("experiment").get<std::string>() +
                                  " has ended, and what was in force before it is in force again\n";
    return 0;
  }
  LiveHost live(live_host_options(call.options));
  finish_interrupted(live, call.console, true);
  ExperimentRecord::require_none(live.store());
  throw Error(ErrorCode::not_found, "no experiment runs");
}

struct Act {
  std::string_view name;
  int (*run)(Call& call);
};
constexpr std::array kActs{Act{"run", run_it}, Act{"search", run_it}, Act{"status", tell_status},
                           Act{"stop", stop_it}, Act{"report", report_it}};

}  // namespace

int run_experiment(Call& call) {
  const auto* const act = std::ranges::find(kActs, call.arguments.front(), &Act::name);
  if (act == kActs.end()) {
    throw Error(ErrorCode::usage,
                "'" + call.arguments.front() +
                    "' is nothing to do with an experiment: run, search, status, stop or report");
  }
  return act->run(call);
}

}  // namespace bulkhead
