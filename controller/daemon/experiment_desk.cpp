// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/experiment_desk.h"

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "controller/base/utc.h"
#include "controller/daemon/experiment_order.h"
#include "controller/daemon/kept_experiment_host.h"
#include "controller/experiment/result_json.h"
#include "policies/experiment_reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLatest = "experiment-result.json";
constexpr std::chrono::seconds kSoon{1};    // a bulkhead(1) runs it
constexpr std::chrono::seconds kLater{10};  // something failed

std::string name_of(const ExperimentInput& input) {
  return require_experiment(input.source.text, input.source.file).name;
}

// From the first moment on nobody is told that no experiment runs where one has this host.
ExperimentStanding left_by_another(Store& store) {
  ExperimentStanding standing;
  try {
    const auto running = ExperimentRecord(store).read();
    if (!running) return standing;
    standing.name = name_of(running->input);
    standing.file = running->input.source.file;
  } catch (const Error&) {
    // recover() tells why.
  }
  standing.state = ExperimentState::ending;
  return standing;
}

// One that makes no sense is as if there were none: it is written anew when the next experiment has ended.
std::string read_latest(Store& store) {
  try {
    const auto text = store.read(kLatest);
    return text ? result_text(parse_result(*text, kLatest)) : "";
  } catch (const Error& error) {
    log_line(kLogWarning, std::string("the latest experiment's result cannot be read: ") + error.what());
    return {};
  }
}

}  // namespace

ExperimentDesk::ExperimentDesk(boost::asio::io_context& api, KeeperThread& keeper,
                               ExperimentDeskOptions options, Tell tell)
    : api_(api),
      keeper_(keeper),
      tell_(std::move(tell)),
      runtime_(std::move(options.runtime_directory)),
      persistent_(std::move(options.state_directory)),
      standing_(left_by_another(runtime_)),
      latest_(read_latest(persistent_)),
      thread_([this] { work(); }) {}

ExperimentDesk::~ExperimentDesk() {
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ExperimentDesk::work() {
  for (;;) {
    std::optional<std::chrono::seconds> again;
    if (!recover()) again = standing_.state == ExperimentState::elsewhere ? kSoon : kLater;
    std::unique_lock lock(mutex_);
    const auto is_due = [this] { return ends_ || order_; };
    if (again) {
      changed_.wait_for(lock, *again, is_due);
    } else {
      changed_.wait(lock, is_due);
    }
    if (ends_) return;
    if (!order_) continue;
    const Order order = *std::move(order_);
    order_.reset();
    lock.unlock();
    carry_out(order);
  }
}

// Whoever asked is answered once nobody else can start one, or when that has failed.
void ExperimentDesk::carry_out(const Order& order) {
  const std::string name = name_of(order.input);
  try {
    KeptExperimentHost host(keeper_, order.by);
    finish(Runner(order.input, host, runtime_, seams(&order)).run());
  } catch (const Error& error) {
    bool has_begun = false;
    {
      const std::lock_guard guard(mutex_);
      has_begun = standing_.state != ExperimentState::starting;
    }
    if (has_begun) return note_trouble(error);  // recover() tries on
    note("experiment.start", error.what());
    std::vector<Reply> waiting{order.reply};
    {
      const std::lock_guard guard(mutex_);
      standing_ = {};
      waiting.insert(waiting.end(), waiting_for_end_.begin(), waiting_for_end_.end());
      waiting_for_end_.clear();
    }
    for (const Reply& reply : waiting) answer(reply, Answer(error));
  }
}

// What is recorded is nobody's, or somebody's outside of this daemon. False: it is to be tried again.
bool ExperimentDesk::recover() {
  {
    const std::lock_guard guard(mutex_);
    if (ends_) return true;  // that is for the next daemon
  }
  if (!ExperimentRecord::is_there(runtime_)) {
    const std::lock_guard guard(mutex_);
    if (!order_) standing_ = {};
    return true;
  }
  try {
    go_on_or_end();
    note_trouble(std::nullopt);
    return !ExperimentRecord::is_there(runtime_);
  } catch (const Error& error) {
    note_trouble(error);
    return false;
  }
}

void ExperimentDesk::go_on_or_end() {
  std::optional<RunningExperiment> running;
  std::optional<ExperimentResult> progress;
  try {
    ExperimentRecord record(runtime_);
    record.lock();
    running = record.read();
    if (!running) return;
    progress = record.read_progress();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::conflict) throw;
    if (const auto other = ExperimentRecord(runtime_).read())
      stand({.state = ExperimentState::elsewhere,
             .name = name_of(other->input),
             .file = other->input.source.file});
    return;
  }
  ExperimentStanding standing{
      .state = ExperimentState::ending, .name = name_of(running->input), .file = running->input.source.file};
  bool goes_on = running->on_restart == OnRestart::resume && progress.has_value();
  {
    const std::lock_guard guard(mutex_);
    goes_on = goes_on && !is_asked_to_end_ && !ends_ && standing_.trouble.empty();
    if (goes_on) standing.state = ExperimentState::running;
    standing.trouble = standing_.trouble;
  }
  stand(std::move(standing));
  goes_on ? go_on(*running, *std::move(progress)) : end_interrupted(*running, std::move(progress));
}

// A host that cannot have the arms any more gets back what it had before.
void ExperimentDesk::go_on(const RunningExperiment& running, ExperimentResult progress) {
  KeptExperimentHost host(keeper_, {});
  std::optional<Runner> runner;
  try {
    runner.emplace(running.input, host, runtime_, seams(nullptr));
  } catch (const Error& error) {
    progress.remarks.push_back({.at = 0, .text = error.what()});
    return end_interrupted(running, std::move(progress));
  }
  note("experiment.resume", {});
  finish(runner->resume(running, std::move(progress)));
}

void ExperimentDesk::end_interrupted(const RunningExperiment& running,
                                     std::optional<ExperimentResult> progress) {
  KeptExperimentHost host(keeper_, {});
  ExperimentRecord record(runtime_);
  record.lock();
  std::string failure;
  try {
    end_experiment(record, running, host);
  } catch (const Error& error) {
    if (ExperimentRecord::is_there(runtime_)) throw;  // what was in force has not returned
    failure = error.what();
  }
  ExperimentResult result =
      progress ? *std::move(progress) : ExperimentResult{.name = name_of(running.input)};
  const double at = result.windows.empty() ? 0 : result.windows.back().ends;
  result.remarks.push_back({.at = at, .text = "the daemon that ran the experiment was ended here"});
  if (!failure.empty()) result.remarks.push_back({.at = at, .text = failure});
  result.ended_by = "stopped";
  result.ended = utc_text(std::chrono::system_clock::now());
  finish(result);
}

RunnerSeams ExperimentDesk::seams(const Order* order) {
  RunnerSeams seams;
  seams.tell = [this, order](const RunProgress& progress) { take(progress, order); };
  seams.is_asked_to_end = [this] {
    const std::lock_guard guard(mutex_);
    return ends_ || is_asked_to_end_;
  };
  seams.will_be_resumed = [this] {
    const std::lock_guard guard(mutex_);
    return ends_ && !is_asked_to_end_;
  };
  seams.sleep_until = [this](std::chrono::steady_clock::time_point time) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, time, [this] { return ends_ || is_asked_to_end_; });
  };
  return seams;
}

void ExperimentDesk::take(const RunProgress& progress, const Order* order) {
  using At = RunProgress::Step;
  Json status;
  {
    const std::lock_guard guard(mutex_);
    standing_.state = ExperimentState::running;
    standing_.arm = progress.arm.empty() ? standing_.arm : progress.arm;
    standing_.candidate = progress.candidate;
    standing_.searches = progress.searches;
    standing_.block = progress.block;
    standing_.most_blocks = progress.most_blocks;
    standing_.seconds_left = progress.seconds_left;
    if (progress.step == At::begun || progress.step == At::block) latest_ = result_text(*progress.result);
    status = standing_json(standing_);
  }
  if (progress.step == At::measured) tell_(EventKind::experiment_window, window_json(progress));
  if (progress.step == At::block) tell_(EventKind::experiment_block, block_json(progress));
  if (progress.step != At::begun || order == nullptr) return;
  note("experiment.start", {});
  answer(order->reply, Answer(status));
}

// What is to be resumed has not ended.
void ExperimentDesk::finish(const ExperimentResult& result) {
  const bool suspended = ExperimentRecord::is_there(runtime_);
  std::vector<Reply> waiting;
  {
    const std::lock_guard guard(mutex_);
    latest_ = result_text(result);
    standing_ = {};
    waiting.swap(waiting_for_end_);
  }
  try {
    persistent_.replace(kLatest, result_text(result) + '\n');
  } catch (const Error& error) {
    log_line(kLogError, std::string("the experiment's result would not outlive the daemon: ") + error.what());
  }
  if (!suspended) tell_(EventKind::experiment_ended, ended_json(result));
  for (const Reply& reply : waiting)
    answer(reply, Answer(Json{{"experiment", result.name}, {"ended_by", result.ended_by}}));
}

void ExperimentDesk::note(const std::string& action, const std::string& refused) {
  std::string name;
  Actor by;
  {
    const std::lock_guard guard(mutex_);
    name = standing_.name;
    by = standing_.by;
  }
  wait_for_keeper(keeper_, KeeperThread::Job::reads,
                  [&](Keeper& keeper) { keeper.note_unchanged(action, name, by, refused); });
}

void ExperimentDesk::note_trouble(const std::optional<Error>& trouble) {
  {
    const std::lock_guard guard(mutex_);
    if (trouble) standing_.state = ExperimentState::ending;
    standing_.trouble = trouble ? trouble->what() : "";
  }
  wait_for_keeper(keeper_, KeeperThread::Job::reads,
                  [&](Keeper& keeper) { keeper.note_experiment_trouble(trouble); });
}

void ExperimentDesk::answer(const Reply& reply, Answer answer) {
  boost::asio::post(api_, [reply, answer = std::move(answer)] { reply(answer); });
}

void ExperimentDesk::stand(ExperimentStanding standing) {
  const std::lock_guard guard(mutex_);
  standing_ = std::move(standing);
}

}  // namespace bulkhead
